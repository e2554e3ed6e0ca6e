export interface ReadStep {
  /** Such as `users listed` or `addresses searched`. */
  readonly what: string;
  readonly done: number;
  readonly of?: number | undefined;
}
