"""Worksheets: a sheet as a page to work on, and its key."""
