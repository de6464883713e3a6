// Of several requests for the same place on a page only the last one counts.

/** Runs what it is given, and gives up what was under way before: its answer would come too late. */
export class Latest {
  #controller: AbortController | undefined;

  async run<Answer>(request: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    this.stop();
    const controller = new AbortController();
    this.#controller = controller;
    const answer = await request(controller.signal);
    controller.signal.throwIfAborted();
    return answer;
  }

  stop(): void {
    this.#controller?.abort();
  }
}
