// What has just happened, for those who hear the page instead of seeing it.

class Messages {
  text = $state("");
}

export const messages = new Messages();

export function announce(text: string): void {
  messages.text = "";
  setTimeout(() => (messages.text = text), 50); // the same message twice is said twice
}
