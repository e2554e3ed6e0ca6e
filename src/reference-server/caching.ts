/** What is over it is written anew at each reading. A hundred thousand users fit. */
const maxKeptLetters = 64 * 1024 * 1024;

/** Caches the JSON texts of things. Code that changes a thing must call `forget` or `clear`. */
export class TextCache<Thing> {
  readonly #texts = new Map<Thing, string>();
  #letters = 0;
  #way: object | undefined;

  /** The text of a thing. `way` is all that it depends on besides the thing, and is compared by identity. */
  text(thing: Thing, way: object, write: (thing: Thing) => string): string {
    if (this.#way !== way) this.clear();
    this.#way = way;
    const kept = this.#texts.get(thing);
    if (kept !== undefined) return kept;
    const written = write(thing);
    if (this.#letters + written.length > maxKeptLetters) return written;
    this.#texts.set(thing, written);
    this.#letters += written.length;
    return written;
  }

  forget(thing: Thing): void {
    const kept = this.#texts.get(thing);
    if (kept === undefined) return;
    this.#letters -= kept.length;
    this.#texts.delete(thing);
  }

  clear(): void {
    if (this.#texts.size > 0) this.#texts.clear();
    this.#letters = 0;
  }
}

/** The same function, which works anew only where it is asked something else than the last time. */
export function rememberLast<In extends string | number, Out>(work: (from: In) => Out): (from: In) => Out {
  let last: { readonly from: In; readonly result: Out } | undefined;
  return (from) => {
    if (last?.from !== from) last = { from, result: work(from) };
    return last.result;
  };
}
