// The name of the product, and the titles of its windows.

export const NAME = "workings";

export const windowTitle = (title: string): string => `${title} · ${NAME}`;
