/** The bytes of a body, and how many came; a body over the cap is read to its end and not kept. */
export interface ReceivedBody {
  readonly size: number;
  /** Absent where the body is over the cap. */
  readonly bytes?: Uint8Array;
}
