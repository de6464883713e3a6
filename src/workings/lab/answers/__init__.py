"""The types of the answers of the lab. `schema/lab.json`, and from it the types of the front end, come from them."""
