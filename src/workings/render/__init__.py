"""From a document to a page. A renderer contains no sentence, no formula and no arithmetic."""
