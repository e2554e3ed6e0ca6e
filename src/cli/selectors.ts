import { foldAddress } from "../model/address.ts";
import { foldName } from "../model/names.ts";
import type { Policy, Selector } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { defaultPrivilegedRoles } from "../model/role-set.ts";
import { invalidSetting, type Stop } from "./stop.ts";

/** The flags with which a person says something for one run alone. */
export interface PolicyFlags {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly assumeAbsent?: readonly string[] | undefined;
  readonly recreate?: readonly string[] | undefined;
}

export function readPolicy(flags: PolicyFlags, options: { readonly reportUnmanaged: boolean }): Result<Policy, Stop> {
  const include = selectors("--include", flags.include ?? []);
  if (!include.ok) return include;
  const exclude = selectors("--exclude", flags.exclude ?? []);
  if (!exclude.ok) return exclude;
  const assumed = assumedAbsent(flags.assumeAbsent ?? []);
  if (!assumed.ok) return assumed;
  return success({
    include: include.value,
    exclude: exclude.value,
    assumeAbsentTeams: assumed.value,
    recreate: (flags.recreate ?? []).map(foldAddress),
    reportUnmanaged: options.reportUnmanaged,
    privilegedRoles: defaultPrivilegedRoles,
  });
}

function selectors(flag: string, written: readonly string[]): Result<readonly Selector[], Stop> {
  const read: Selector[] = [];
  for (const text of written) {
    const selector = readSelector(text);
    if (selector === undefined) return problem(badValue(flag, text, "user:EMAIL or team:NAME"));
    read.push(selector);
  }
  return success(read);
}

function readSelector(written: string): Selector | undefined {
  if (written.startsWith("user:") && written.length > 5) {
    return { kind: "user", address: foldAddress(written.slice(5)), written };
  }
  if (written.startsWith("team:") && written.length > 5)
    return { kind: "team", name: foldName(written.slice(5)), written };
  return undefined;
}

function assumedAbsent(written: readonly string[]): Result<Policy["assumeAbsentTeams"], Stop> {
  if (written.includes("teams")) return success("all");
  const strange = written.find((text) => !/^team:./u.test(text));
  if (strange !== undefined) return problem(badValue("--assume-absent", strange, "team:NAME or teams"));
  return success(written.map((text) => foldName(text.slice("team:".length))));
}

function badValue(flag: string, value: string, wanted: string): Stop {
  return invalidSetting("bad-flag-value", `${flag} ${value} is not understood.`, `Write ${flag} ${wanted}.`);
}
