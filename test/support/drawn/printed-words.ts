/** An allowance, as an output offered it to whoever reads it. */
export interface PrintedWord {
  /** What is allowed, such as `user-missing:ada@acme.example`. */
  readonly what: string;
  /** The same with its digits: the value of `--allow`. */
  readonly word: string;
}

const offered = /--allow[ =]([^\s`#]+)#([0-9a-f]{12})(?!\w)/gu;

/** Every allowance that an output offers, each once, in its order. A document in JSON offers what its texts say. */
export function printedWords(output: string): readonly PrintedWord[] {
  const words = new Map<string, PrintedWord>();
  for (const text of textsOf(output)) {
    for (const [, what = "", digits = ""] of text.matchAll(offered)) {
      words.set(`${what}#${digits}`, { what, word: `${what}#${digits}` });
    }
  }
  return [...words.values()];
}

/** The latest moment after `now` that an output names, in milliseconds since the epoch. */
export function namedMoment(output: string, now: number): number | undefined {
  const times = [...output.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/gu)].map(([text]) =>
    Date.parse(text),
  );
  const later = times.filter((time) => time > now && time < now + 86_400_000);
  return later.length === 0 ? undefined : Math.max(...later);
}

function textsOf(output: string): readonly string[] {
  const document = documentIn(output);
  // A text for people is broken into lines wherever they end.
  return document === undefined ? [output.replace(/\s+/gu, " ")] : stringsIn(document);
}

/** The document that an output is; undefined where it is a text for people. */
export function documentIn(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
