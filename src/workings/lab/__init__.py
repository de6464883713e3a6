"""The lab without its network: what is asked about a trace, and the answers, as data for a page."""
