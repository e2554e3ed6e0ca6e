import type { FaultDraw, Place, RunDraw, ServiceDraw } from "./chaos-draw.ts";
import { type Fault, faults } from "./fault.ts";
import type { PassedRequest } from "./fault-proxy.ts";

/** What is drawn for one run, as far as it bears on what may befall its requests. */
type Weather = Pick<RunDraw, "faults" | "kill"> & Partial<Pick<RunDraw, "stateFault" | "losesState">>;

/** What befalls the requests of one run, in their order. */
export function faultsOf(run: Weather, service: ServiceDraw): (request: PassedRequest) => Fault | undefined {
  const { faults: drawn, kill } = run;
  const counts: Record<Place["among"], number> = { all: 0, writes: 0, creations: 0, additions: 0 };
  return (request) => {
    const kinds = kindsOf(request);
    for (const kind of kinds) counts[kind] += 1;
    const is = ({ among, number }: Place, lasts = 1) =>
      kinds.includes(among) && counts[among] >= number && counts[among] < number + lasts;
    if (kill !== undefined && is(kill.place)) return { is: "kill", when: kill.when, turns: kill.turns };
    const fault = drawn.find(({ place, lasts }) => is(place, lasts));
    return fault !== undefined && mayBefall(fault, request, run, service) ? faults[fault.fault] : undefined;
  };
}

function kindsOf({ isWrite, url }: PassedRequest): readonly Place["among"][] {
  if (!isWrite) return ["all"];
  if (url.endsWith("/users")) return ["all", "writes", "creations"];
  return url.endsWith("/members") ? ["all", "writes", "additions"] : ["all", "writes"];
}

/**
 * Only a creation is answered with "there already" although it was done; and where no read shows that a team was created,
 * nobody could tell the lie. Only a write is taken for later, and of that the state must learn: whoever never heard of it
 * takes it for not done once the settling time is over.
 */
function mayBefall(
  { fault }: FaultDraw,
  { url, isWrite }: PassedRequest,
  { kill, stateFault, losesState = false }: Weather,
  { showsAll }: ServiceDraw,
): boolean {
  if (fault === "202, done later") {
    return isWrite && kill === undefined && stateFault === undefined && !losesState;
  }
  return fault !== "409 though created" || (showsAll && url.endsWith("/users"));
}
