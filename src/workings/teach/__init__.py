"""Explanations become lessons: texts with directives in, documents out."""
