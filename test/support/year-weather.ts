import type { Dice } from "./dice.ts";
import { faultNames, killPoints } from "./fault.ts";
import { type FaultDraw, faultsOf, type Place } from "./request-faults.ts";
import type { Hazard } from "./stage.ts";

/** How the service and the machine are on one day: three times of ten something befalls the calls of a run. */
export function weatherOn(dice: Dice): Hazard | "calm" {
  if (!dice.chance(0.3)) return "calm";
  const faults = Array.from({ length: dice.between(1, 3) }, () => faultFrom(dice));
  const when = dice.one(killPoints) ?? "after-commit";
  const kill = dice.chance(0.4) ? { place: placeFrom(dice), when, turns: dice.below(7) } : undefined;
  const lag = dice.one([0, 0, 2000, 4000]) ?? 0;
  return { fault: faultsOf({ faults, ...(kill === undefined ? {} : { kill }) }), lag };
}

function faultFrom(dice: Dice): FaultDraw {
  return { place: placeFrom(dice), fault: dice.one(faultNames) ?? "429", lasts: dice.one([1, 1, 1, 2, 5]) ?? 1 };
}

/** Mostly among the calls that must never be sent twice. */
function placeFrom(dice: Dice): Place {
  const among = dice.one(["all", "writes", "creations", "creations", "additions", "additions"] as const) ?? "writes";
  const most = { all: 20, writes: 6, creations: 3, additions: 2 }[among];
  return { among, number: dice.between(1, most) };
}
