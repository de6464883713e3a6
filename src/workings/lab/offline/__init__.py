"""The lab in one HTML file: the front end, with recorded answers instead of a server."""
