import type { JsonObject } from "../../codec/mapping.ts";
import { isoTime } from "../../ports/clock.ts";
import type { ProgressObserver } from "../../ports/progress.ts";
import { eventPart, plannedParts, toJsonLine, versionPart } from "../../report/json/events.ts";
import { noNames, planNames } from "../../report/plan-summary.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../system.ts";
import type { ProgressOptions } from "./progress-observer.ts";

const minInterval = 1000;

/** Tells everything in lines of JSON as it happens: on standard output, or for a report alone. The rest is for the conclusion to tell. */
export function ndjsonObserver(host: Host, { format, report = [], command }: ProgressOptions): ProgressObserver {
  const { clock, live, secrets, stdout } = host;
  const lastSteps = new Map<string, number>();
  const isReported = report.some((one) => one.format === "ndjson");
  let names = noNames;
  const tell = (part: JsonObject) => {
    const line = secrets.redact(toJsonLine(secrets.redactAll(part)));
    if (isReported) live.keep(line);
    if (format === "ndjson") stdout.write(line);
  };
  live.begin();
  tell(versionPart(command, installedPackage().version));
  return {
    read({ what, done, of }) {
      const last = lastSteps.get(what);
      if (last !== undefined && clock.now() - last < minInterval) return;
      lastSteps.set(what, clock.now());
      tell({ type: "read", at: isoTime(clock), what, done, of });
    },
    planned(plan) {
      names = planNames(plan);
      for (const part of plannedParts(plan)) tell(part);
      live.planned(plan.id);
    },
    event: (event) => tell(eventPart(event, names)),
    asking: () => undefined,
    end: async () => undefined,
  };
}
