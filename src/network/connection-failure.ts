import type { ConnectionProblem } from "./connection-trouble.ts";

/** Says why there is no connection, in words, where it is known what was tried. It has no code that undici would act upon. */
export class ConnectionFailure extends Error {
  readonly trouble: ConnectionProblem;

  constructor(trouble: ConnectionProblem) {
    super(trouble.cause);
    this.trouble = trouble;
  }
}
