import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileStore } from "../../src/log/file/store.ts";
import type { State } from "../../src/model/state.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { AtEnd } from "./command.ts";
import { countingRandomness } from "./fixed-ports.ts";
import { beats, bucketCredentials, openS3At } from "./s3-place.ts";
import { smallS3 } from "./small-s3.ts";

/** What befalls one request to the bucket of a run. */
export interface StateFault {
  readonly number: number;
  readonly how: "lost" | "answer-lost" | "done-and-500";
}

export interface Keeping {
  /** Where the log is, and who may write there. */
  readonly env: Readonly<Record<string, string>>;
  /** Before each run, with what befalls its requests. */
  begin(fault: StateFault | undefined): void;
  /** At the moment of a kill: what is kept now is what the dead process leaves. */
  remember(): void;
  /** Once nothing of the killed run is under way any more; without its lock: whose process is gone is another test's. */
  restore(): Promise<void>;
  lose(): Promise<void>;
  /** The state as a run would read it; what is wrong with it where none could. */
  read(): Promise<State | string>;
  text(): string;
}

export function keepingFor(state: "file" | "bucket", directory: string, clock: Clock, atEnd: AtEnd): Promise<Keeping> {
  return state === "file" ? keepingInFiles(directory, clock) : keepingInBucket(clock, atEnd);
}

async function keepingInFiles(directory: string, clock: Clock): Promise<Keeping> {
  const place = join(directory, "state");
  const copy = join(directory, "kept");
  const path = join(place, "log.jsonl");
  const store = fileStore({ path, clock, randomness: countingRandomness() });
  return {
    env: { ROSTER_STATE: `file:${path}` },
    begin: () => undefined,
    remember() {
      if (existsSync(place)) cpSync(place, copy, { recursive: true });
    },
    async restore() {
      await rm(place, { recursive: true, force: true });
      if (existsSync(copy)) await rename(copy, place);
      await rm(`${path}.lock`, { recursive: true, force: true });
    },
    lose: () => rm(place, { recursive: true, force: true }),
    async read() {
      const read = await store.read();
      return read.ok ? read.value : read.error.message;
    },
    text: () => textOf(place),
  };
}

function textOf(place: string): string {
  if (!existsSync(place)) return "";
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

async function keepingInBucket(clock: Clock, atEnd: AtEnd): Promise<Keeping> {
  const log = "roster/log";
  let fault: StateFault | undefined;
  let count = 0;
  let remembered: ReadonlyMap<string, string> = new Map();
  const server = await smallS3({
    clock,
    way() {
      count += 1;
      return count === fault?.number ? fault.how : "usual";
    },
  });
  atEnd(() => server.close());
  const address = `s3://acme/${log}?region=us-east-1&endpoint=${server.endpoint}`;
  const store = openS3At(address, { clock, randomness: countingRandomness(), startBeats: beats().start });
  atEnd(() => store.close());
  return {
    env: {
      ROSTER_STATE: `s3://acme/${log}?region=us-east-1&endpoint=${server.endpoint}`,
      AWS_ACCESS_KEY_ID: bucketCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: bucketCredentials.secretAccessKey,
    },
    begin(next) {
      fault = next;
      count = 0;
    },
    remember() {
      remembered = server.objects();
    },
    async restore() {
      server.replace(new Map([...remembered].filter(([path]) => path !== `${log}.lock`)));
    },
    async lose() {
      server.replace(new Map());
    },
    async read() {
      // Of what a run meets nothing is met here, and nothing is counted.
      const [met, before] = [fault, count];
      fault = undefined;
      const read = await store.read();
      [fault, count] = [met, before];
      return read.ok ? read.value : read.error.message;
    },
    text: () => [...server.objects().values()].join("\n"),
  };
}
