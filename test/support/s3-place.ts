import { onTestFinished } from "vitest";
import { type HttpClient, openHttpClient } from "../../src/http/origin.ts";
import type { StartBeats } from "../../src/log/lock-holder.ts";
import type { RosterLog } from "../../src/log/port.ts";
import { readS3Address, type S3Place, s3Place } from "../../src/log/s3/address.ts";
import type { S3Credentials } from "../../src/log/s3/objects.ts";
import { s3Store } from "../../src/log/s3/store.ts";
import type { Clock, Randomness } from "../../src/ports/clock.ts";
import { noon } from "./event-builders.ts";
import { clockAt, countingRandomness, timerBy } from "./fixed-ports.ts";
import { type SmallS3Options, smallS3 } from "./small-s3.ts";

/** None of them may be seen anywhere. */
export const bucketCredentials = {
  accessKeyId: "AKIDROSTERTEST",
  secretAccessKey: "the-secret/access+key",
  sessionToken: "the-session-token",
};

/** A store at an address, as one more process would open it. */
export function openS3At(
  address: string,
  {
    credentials = bucketCredentials,
    ...parts
  }: {
    readonly clock: Clock;
    readonly randomness: Randomness;
    readonly startBeats: StartBeats;
    readonly credentials?: S3Credentials;
  },
): RosterLog {
  return s3Store({ ...clientAt(address), credentials, ...parts });
}

function clientAt(address: string): { readonly place: S3Place; readonly http: HttpClient } {
  const read = readS3Address(address);
  if (!read.ok) throw new Error(read.error);
  const { region = "us-east-1", endpoint } = read.value;
  const place = s3Place(address, read.value, { region, endpoint });
  if (!place.ok) throw new Error(place.error);
  const { origin } = place.value;
  const http = openHttpClient({ origin, timeout: 10_000, largestAnswer: 1_000_000, clock: timerBy() });
  return { place: place.value, http };
}

export interface Beats {
  readonly start: StartBeats;
  beat(): Promise<void>;
  /** From now on nobody beats. */
  end(): void;
}

export function beats(): Beats {
  const running = new Set<() => Promise<void>>();
  return {
    start(_, beat) {
      running.add(beat);
      return () => void running.delete(beat);
    },
    async beat() {
      await Promise.all([...running].map((one) => one()));
    },
    end: () => running.clear(),
  };
}

/** Shared, since two runs never draw the same identifier. */
const randomness = countingRandomness();

export type SmallS3Place = Awaited<ReturnType<typeof smallS3Place>>;

export const logPath = "roster/log";
export const checkpointObject = `${logPath}.checkpoint`;
export const lockObject = `${logPath}.lock`;
export const batchObject = (number: number) => `${logPath}/${String(number).padStart(8, "0")}`;

export async function smallS3Place(options: Omit<SmallS3Options, "clock"> = {}) {
  const clock = clockAt(noon);
  const server = await smallS3({ ...options, clock });
  onTestFinished(() => server.close());
  const address = `s3://acme/${logPath}?region=us-east-1&endpoint=${server.endpoint}`;
  return {
    server,
    clock,
    address,
    open: (running = beats()) => openS3At(address, { clock, randomness, startBeats: running.start }),
  };
}
