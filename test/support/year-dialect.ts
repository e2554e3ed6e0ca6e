import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { diceOf } from "./dice.ts";

/**
 * How the service of a year answers: one of many ways, all of which show everything. Whoever is added again would be mailed
 * again, so that nothing hides an addition too many.
 */
export function dialectOf(seed: number): Partial<Knobs> {
  const dice = diceOf(seed + 1_000_000);
  const one = <T>(...ways: readonly T[]) => dice.one(ways);
  return Object.fromEntries(
    Object.entries({
      create: one("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C12"),
      members: one("M1", "M2", "M3", "M4", "M4-list", "M5", "M5-201", "M6", "M7"),
      search: one("S1", "S2", "S3", "S4", "S5", "S6", "S7"),
      conflict: one("409", "400", "422", "500", "200"),
      accountDetails: one("A1", "A2", "A3", "A4", "no-users"),
      pageBase: one("one-alias", "one-strict", "zero"),
      maxPerPage: one(100, 100, 50),
      showKeys: one("accessKeys", "accessKeys", "listAccessKeys"),
      showKeyRoles: one("objects", "names"),
      readd: "reinvite",
    }).filter(([, value]) => value !== undefined),
  );
}
