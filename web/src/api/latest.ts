// Of several requests for the same place on a page only the last one counts.

/** Runs a request and gives up the one before: its answer, or its error, would come too late. */
export class Latest {
  #controller: AbortController | undefined;

  async run<Answer>(request: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    this.stop();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      return await request(controller.signal);
    } finally {
      controller.signal.throwIfAborted(); // a body that breaks off is no problem of the lab
    }
  }

  stop(): void {
    this.#controller?.abort();
  }
}
