/** What a long read tells whoever waits for it. */
export interface Progress {
  report(step: ReadStep): void;
}

export interface ReadStep {
  /** Such as `users listed` or `addresses searched`. */
  readonly what: string;
  readonly done: number;
  readonly of?: number;
}
