"""A parser for HTML pages that checks on the way that every tag is closed."""

from html.parser import HTMLParser

VOID = {"meta", "input", "br"}


class HtmlReader(HTMLParser):
    """The elements of a page, each with its attributes, the text in it and the elements around it."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.found, self.open = [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        assert len(dict(attributes)) == len(attributes), f"an attribute of {name} occurs twice"
        made = {"name": name, **dict(attributes), "text": "", "around": [around["name"] for around in self.open]}
        self.found.append(made)
        if name not in VOID:
            self.open.append(made)

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)
        if name not in VOID:
            self.open.pop()

    def handle_endtag(self, name):
        assert self.open, f"{name} ends without a beginning"
        assert self.open.pop()["name"] == name

    def handle_data(self, text):
        for element in self.open:
            element["text"] += text

    def all(self, name=None, kind=None, **attributes):
        return [
            element
            for element in self.found
            if name in (None, element["name"])
            and (kind is None or kind in element.get("class", "").split())
            and all(element.get(key.replace("_", "-")) == value for key, value in attributes.items())
        ]

    def one(self, name=None, kind=None, **attributes):
        (element,) = self.all(name, kind, **attributes)
        return element
