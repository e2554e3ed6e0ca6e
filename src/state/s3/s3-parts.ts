import type { Clock } from "../../ports/clock.ts";
import type { Randomness } from "../../ports/randomness.ts";
import type { S3Exchange } from "./s3-exchange.ts";
import type { StartHeartbeat } from "./s3-heartbeat.ts";
import type { S3Objects } from "./s3-objects.ts";
import type { S3Place } from "./s3-place.ts";

/** What the parts of the store share. */
export interface S3Session {
  readonly place: S3Place;
  readonly exchange: S3Exchange;
  readonly objects: S3Objects;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly startBeats: StartHeartbeat;
}
