import { problem, type Result, success } from "../model/result.ts";
import { type Redact, redactorFor } from "./redact.ts";

/** Where the key can be asked for once more. */
export interface KeyRenewal {
  /** Its name, such as `apiKeyCommand`. */
  readonly name: string;
  /** The bare key, kept out of every output. A problem is one sentence without a trailing stop. */
  readonly ask: () => Promise<Result<string, string>>;
}

/** The key in use. Once the service has refused it (trap 56), its source is asked once more, by one of all the calls that wait for it. */
export class ApiKey {
  readonly #source: KeyRenewal | undefined;
  readonly #refused = new Map<string, Promise<Result<undefined, string>>>();
  #value: string;
  #redactors: readonly Redact[];

  constructor(key: string, source?: KeyRenewal) {
    this.#value = key;
    this.#source = source;
    this.#redactors = [redactorFor(key)];
  }

  get value(): string {
    return this.#value;
  }

  /** What stands before the dot is no secret: it names the key. */
  get prefix(): string | undefined {
    const dot = this.#value.indexOf(".");
    return dot > 0 ? this.#value.slice(0, dot) : undefined;
  }

  /** How often another key has taken the place of a refused one. */
  get changes(): number {
    return this.#redactors.length - 1;
  }

  /** Takes out this key and every one before it. */
  redact(text: string): string {
    return this.#redactors.reduce((shown, redact) => redact(shown), text);
  }

  /** Succeeds once another key is in use than the refused one. A problem says why there is none; undefined where none can be had. */
  async replace(refused: string): Promise<Result<undefined, string> | undefined> {
    if (refused !== this.#value) return success(undefined);
    if (this.#source === undefined) return undefined;
    const asked = this.#refused.get(refused) ?? this.#askOnce(this.#source);
    this.#refused.set(refused, asked);
    return asked;
  }

  async #askOnce({ name, ask }: KeyRenewal): Promise<Result<undefined, string>> {
    const key = await ask();
    if (!key.ok) return problem(`roster asked ${name} once more: ${key.error}`);
    if (this.#refused.has(key.value)) return problem(`roster asked ${name} once more: it returned a refused key`);
    this.#value = key.value;
    this.#redactors = [...this.#redactors, redactorFor(key.value)];
    return success(undefined);
  }
}
