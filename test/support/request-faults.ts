import { type Fault, type FaultName, faults, type KillPoint } from "./fault.ts";
import type { PassedRequest } from "./fault-proxy.ts";

/** Counts requests of a kind from 1. */
export interface Place {
  readonly among: "all" | "writes" | "creations" | "additions";
  readonly number: number;
}

export interface FaultDraw {
  readonly place: Place;
  readonly fault: FaultName;
  /** How many requests in a row it befalls. */
  readonly lasts: number;
}

export interface Weather {
  readonly faults?: readonly FaultDraw[];
  /** `turns`: of the event loop after the answer, until the end. */
  readonly kill?: { readonly place: Place; readonly when: KillPoint; readonly turns: number };
}

/** The same for each request, in their order. */
export function faultsOf({ faults: drawn = [], kill }: Weather): (request: PassedRequest) => Fault | undefined {
  const counts: Record<Place["among"], number> = { all: 0, writes: 0, creations: 0, additions: 0 };
  return (request) => {
    const kinds = kindsOf(request);
    for (const kind of kinds) counts[kind] += 1;
    const is = ({ among, number }: Place, lasts = 1) =>
      kinds.includes(among) && counts[among] >= number && counts[among] < number + lasts;
    if (kill !== undefined && is(kill.place)) return { is: "kill", when: kill.when, turns: kill.turns };
    const name = drawn.find(({ place, lasts }) => is(place, lasts))?.fault;
    return name !== undefined && mayBefall(name, request, kill) ? faults[name] : undefined;
  };
}

function kindsOf({ isWrite, url }: PassedRequest): readonly Place["among"][] {
  if (!isWrite) return ["all"];
  if (url.endsWith("/users")) return ["all", "writes", "creations"];
  return url.endsWith("/members") ? ["all", "writes", "additions"] : ["all", "writes"];
}

/**
 * Only a creation is answered with "there already" although it was done. Only a write is taken for later, and of that the state must
 * learn: whoever never heard of it takes it for not done once the settling time is over.
 */
function mayBefall(name: FaultName, { url, isWrite }: PassedRequest, kill: Weather["kill"]): boolean {
  if (name === "202, done later") return isWrite && kill === undefined;
  return name !== "409 though created" || url.endsWith("/users");
}
