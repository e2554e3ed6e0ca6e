/** Events that are kept for everybody who iterates over them, from the first one on, until the last one was added. */
export class EventLog<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  add(event: Event): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length && !this.#ended) await new Promise<void>((wake) => this.#waiting.push(wake));
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
