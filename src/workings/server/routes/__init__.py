"""The routes of the lab, one file a subject. Each one reads what is asked, and lets `workings.lab` answer."""
