import { joinList, sentence, truncateList } from "../codes/message.ts";
import { byCodeUnit, groupBy } from "../model/collections.ts";
import { type Acceptable, type AcceptEntry, acceptStatuses, maxAcceptDays } from "../model/finding.ts";
import {
  type AllowableCode,
  type Allowance,
  type AllowanceCode,
  allowanceCodeOf,
  allowanceScope,
  coversOf,
  formatAllowanceCode,
  type Objection,
  type ObjectionCode,
  type Policy,
  readObjectionCode,
} from "../model/policy.ts";
import { daysAfter } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { foldName } from "../model/team.ts";

export type Allowances = ReturnType<typeof weighAllowances>;

interface Asked {
  readonly code: AllowanceCode;
  readonly covers: readonly string[];
}

export interface GuardViolation {
  readonly code: AllowableCode;
  readonly message: string;
  readonly allow?: string | undefined;
}

/** What can be accepted for so long can always be: a person who wants more writes more. */
const offeredDays = 30;

/** Asked wherever the planner or a guard would object; remembers what it was asked. */
export function weighAllowances(
  { allowed: given, today }: Pick<Policy, "allowed" | "today">,
  accepts: readonly AcceptEntry[],
  service: string,
  state: State,
) {
  let scope = allowanceScope(service, state);
  let recorded = state.allowances ?? new Map<string, never>();
  const asked = new Map<string, Asked>();
  /** By the code that allows it, all that it lets pass. */
  const used = new Map<string, Set<string>>();
  const fitting = new Set<AllowanceCode>();

  /** Whether a person has allowed it, and the code that allows exactly this, to be printed where nothing does. */
  function ask(objection: Objection): { readonly isAllowed: boolean; readonly code: string } {
    const covers = coversOf(objection, scope);
    const code = allowanceCodeOf(objection, scope);
    const text = formatAllowanceCode(code);
    asked.set(text, { code, covers });
    // However a person writes an address, it is recorded as it is printed.
    const asPrinted = ({ digits }: AllowanceCode) => ({ ...code, digits });
    const fit = given.find((one) => thingOf(one) === thingOf(code) && fits(asPrinted(one), objection, covers));
    if (fit === undefined) return { isAllowed: false, code: text };
    const allowed = formatAllowanceCode(asPrinted(fit));
    fitting.add(fit);
    used.set(allowed, new Set([...(used.get(allowed) ?? []), ...covers]));
    if (objection.of === "service-reset") {
      // As the state will be: what was allowed before was about what the service has lost, and what is printed now holds afterwards.
      scope = { ...scope, epoch: allowed };
      recorded = new Map();
    }
    return { isAllowed: true, code: text };
  }

  /** A list that an apply has recorded covers each part of it. */
  function fits(allowed: AllowanceCode, objection: Objection, covers: readonly string[]): boolean {
    if (hasDigits(allowed, objection)) return true;
    const known = recorded.get(formatAllowanceCode({ ...allowed, digits: "" }));
    if (known?.code !== formatAllowanceCode(allowed)) return false;
    const list = new Set(known.covers);
    return covers.every((cover) => list.has(cover));
  }

  /** A plan without a log has no lineage; its codes hold in the log that begins. */
  function hasDigits({ digits }: ObjectionCode, objection: Objection<string>): boolean {
    return [scope, { ...scope, lineage: "" }].some((each) => allowanceCodeOf(objection, each).digits === digits);
  }

  /** Codes that do not fit what this plan needs: they are of another plan than the one that was read. */
  function mismatches(): readonly GuardViolation[] {
    return given
      .filter((one) => !fitting.has(one))
      .flatMap((one): readonly GuardViolation[] => {
        const needed = neededInstead(one);
        if (needed.length > 0) return needed.map((instead) => mismatch(one, instead));
        if (one.digits !== "") return [];
        const message = `Nothing in this plan needs \`--allow ${formatAllowanceCode(one)}\`, and the part after # is missing. Remove it from the command.`;
        return [{ code: one.of, message }];
      });
  }

  /** What this plan needs of the same thing, or what the digits belong to. */
  function neededInstead(one: AllowanceCode): readonly Asked[] {
    const all = [...asked.values()];
    const same = all.filter(({ code }) => thingOf(one) === thingOf(code));
    return same.length > 0 ? same : all.filter(({ code }) => one.digits !== "" && code.digits === one.digits);
  }

  function mismatch(one: AllowanceCode, { code, covers }: Asked): GuardViolation {
    const written = formatAllowanceCode(one);
    const allow = formatAllowanceCode(code);
    const then = recorded.get(formatAllowanceCode({ ...one, digits: "" }));
    const why =
      one.digits === ""
        ? "the part after # is missing"
        : then?.code === written
          ? `it is spent, or its facts have changed. It was used at ${then.at}, for ${describe(then.covers)}`
          : thingOf(one) === thingOf(code)
            ? sentence("other-facts", {})
            : "its digits are those of another code";
    const now = `The code for this plan is ${allow}. It would allow: ${truncateList(covers.slice(1))}.`;
    return { code: one.of, message: `The code ${written} does not fit this plan: ${why}. ${now}`, allow };
  }

  /** Codes of what this plan does not need. */
  function idle(): readonly string[] {
    return given
      .filter((one) => !fitting.has(one) && one.digits !== "" && neededInstead(one).length === 0)
      .map(formatAllowanceCode);
  }

  const entries = groupBy(
    accepts.toSorted((a, b) => byCodeUnit(a.until, b.until)),
    ({ code }) => {
      const read = readObjectionCode(code);
      return read && thingOf(read);
    },
  );
  const offeredUntil = daysAfter(today, offeredDays);

  /**
   * What the roster says under `accept` of something that stays, or how it can say so. Of several entries, one in force counts, and
   * of those the one that lasts longest.
   */
  function accept(objection: Objection<string>, guarded: Acceptable["guarded"]): Acceptable {
    const code = allowanceCodeOf(objection, scope);
    const statusOf = ({ code: written, until }: AcceptEntry): (typeof acceptStatuses)[number] => {
      const read = readObjectionCode(written);
      if (read === undefined || !hasDigits(read, objection)) return "other-facts";
      if (until < today) return "over";
      return until > daysAfter(today, maxAcceptDays({ guarded })) ? "too-long" : "in-force";
    };
    const named = (entries.get(thingOf(code)) ?? []).map((entry) => ({ ...entry, is: statusOf(entry) }));
    const [accepted] = acceptStatuses.flatMap((is) => named.findLast((one) => one.is === is) ?? []);
    return { accept: { code: formatAllowanceCode(code), until: offeredUntil }, guarded, accepted };
  }

  return {
    ask,
    accept,
    /** What lets something of this plan pass. */
    used: (): readonly Allowance[] => [...used].map(([code, covers]) => ({ code, covers: [...covers] })),
    mismatches,
    idle,
  };
}

/** The first names what it is about. */
function describe([about = "", ...facts]: readonly string[]): string {
  return `${about} (${facts.length === 1 ? joinList(facts) : truncateList(facts)})`;
}

/** The same text for all codes of the same thing. */
export function thingOf({ of, about }: ObjectionCode): string {
  return `${of}:${foldName(about)}`;
}
