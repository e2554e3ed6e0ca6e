import { catalogue } from "../../codes/catalogue.ts";
import { invalidSetting, suggest } from "../../library/error.ts";
import { checkDigits, explainPlanned, usersToRead } from "../../library/explain.ts";
import { readShownPlan } from "../../library/saved-plan.ts";
import { foldAddress } from "../../model/address.ts";
import { readObjectionCode } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { type ExplainTarget, explainFromSavedPlan, knownNames } from "../../report/explain/explain.ts";
import type { Flags } from "../flags.ts";
import { findPlan } from "../plan-file.ts";
import { planWithoutLock } from "../planning.ts";
import type { Command } from "../run-command.ts";

/** Explains one thing, or what a code means. Changes nothing. A code needs no service. */
export async function explain(
  command: Command,
  what: string | undefined,
  paths: readonly string[],
  flags: Flags,
): Promise<void> {
  if (what === undefined) throw invalidSetting("usage", "Missing argument: what to explain.", forms);
  if (what === "codes") return command.tell({ explanation: { of: "codes", codes: catalogue(), as: "list" } });
  // As it is printed for --allow. What is about nothing is of the whole plan.
  const { of, about } = readObjectionCode(what) ?? {};
  const codes = catalogue(about === "" ? of : what);
  if (codes.length > 0) return command.tell({ explanation: { of: "codes", codes, as: "whole" } });
  const thing = thingOf(what);
  const { saved, stdin } = await findPlan(paths, command.host);
  if (saved !== undefined) {
    if (flags.from !== undefined) {
      const message = "--from does not work with a saved plan: roster explains the plan as it is.";
      throw invalidSetting("usage", message, "Name the roster in place of the plan, or leave --from out.");
    }
    const { plan } = await readShownPlan(saved);
    const things = explainFromSavedPlan(thing, plan);
    if (things.length > 0) return command.tell({ explanation: { of: "things", things } });
    checkDigits(what, plan);
    const hint = "A saved plan has only its own actions and findings. To ask the service, leave the file out.";
    throw invalidSetting("unknown-name", `The plan ${plan.id} in ${saved.file} has nothing about ${what}.`, hint);
  }
  const everyone = (roster: Roster, state: State) => usersToRead(thing, roster, state);
  const { planned } = await planWithoutLock(command, { paths, flags, stdin, everyone });
  const things = explainPlanned(thing, planned);
  if (things.length > 0) return command.tell({ explanation: { of: "things", things } });
  checkDigits(what, planned.plan, planned.snapshot.everyone.read);
  const message = `${what} is not in the roster, the service, the state or the plan.`;
  const names = knownNames(thing, { ...planned, roster: planned.context.roster });
  throw invalidSetting("unknown-name", message, suggest(thing.name, names, howToName[thing.is]));
}

const howToName: Readonly<Record<ExplainTarget["is"], string>> = {
  user: "Write user:EMAIL as the roster has it.",
  team: "Write team:NAME, or team:IDENTIFIER.",
  key: "Write key:PREFIX, which is compared exactly.",
  role: "Write role:NAME, which is compared exactly.",
  action: "`roster plan --format json` names the actions by their ids.",
  finding: "`roster plan --format json` names the findings. For users and keys outside the roster, add --unmanaged.",
};

const forms =
  "Name user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint or a code; `roster explain codes` lists every code.";

/** The thing that somebody means. What has no colon and no @ can only be a code. */
function thingOf(what: string): ExplainTarget {
  const [, written = "", rest = ""] = /^([a-z]+):(.*)$/isu.exec(what) ?? [];
  const [kind, name] = [written.toLowerCase(), rest.trim()];
  const is =
    kind === "fingerprint" ? "finding" : (["user", "team", "key", "role"] as const).find((one) => one === kind);
  if (is !== undefined && name === "")
    throw invalidSetting("unknown-name", `${what} has nothing after the colon.`, howToName[is]);
  if (is === "user") return { is, name: foldAddress(name) };
  if (is !== undefined) return { is, name: is === "finding" ? name.toLowerCase() : name };
  const [, action] = /^((?:create-user|add-members|replace-roles):.*?)(?:#[0-9a-f]{12})?$/su.exec(what) ?? [];
  if (action !== undefined) return { is: "action", name: action };
  if (/^[0-9a-f]{16}$|#[0-9a-f]{12}$/u.test(what)) return { is: "finding", name: what };
  if (what.includes(":")) return { is: "action", name: what };
  if (what.includes("@")) return { is: "user", name: foldAddress(what) };
  const codes = catalogue().map(({ code }) => code);
  throw invalidSetting("unknown-name", `Unknown code ${what}.`, suggest(what, codes, forms));
}
