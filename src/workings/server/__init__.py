"""The lab over HTTP: thin routes around `workings.lab`, and everything that keeps a public door safe."""
