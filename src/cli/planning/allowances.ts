import { type Allowance, formatAllowance, type GuardName, holdNames, stopNames } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

const guardNames: readonly GuardName[] = [...holdNames, ...stopNames];

/** What `--allow` and ROSTER_ALLOW let pass, each once; the variable holds several, separated by commas or spaces. */
export function readAllowances(
  flags: readonly string[],
  said: string | undefined,
): Result<readonly Allowance[], CommandError> {
  const written = [
    ...flags.map((text) => ({ from: "--allow", text })),
    ...(said ?? "").split(/[\s,]+/u).map((text) => ({ from: "ROSTER_ALLOW", text })),
  ].filter(({ text }) => text !== "");
  const allowances = new Map<string, Allowance>();
  for (const { from, text } of written) {
    const read = readAllowance(text);
    if (read === undefined) return problem(notUnderstood(from, text));
    allowances.set(formatAllowance(read), read);
  }
  return success([...allowances.values()]);
}

function readAllowance(text: string): Allowance | undefined {
  const [, name, plan] = /^([a-z-]+)@([0-9a-f]{16})$/u.exec(text) ?? [];
  const guard = guardNames.find((one) => one === name);
  return guard === undefined || plan === undefined ? undefined : { guard, plan };
}

function notUnderstood(from: string, text: string): CommandError {
  const name = text.replace(/@.*$/su, "");
  const close = guardNames.some((one) => one === name) ? undefined : closestMatch(name, guardNames);
  return invalidSetting(
    "bad-allowance",
    `${from} ${text} is not understood.`,
    close === undefined
      ? "Write GUARD@PLANID, just as the finding or the refusal of the plan in question names it."
      : `Did you mean ${close}? Write GUARD@PLANID, just as the finding or the refusal of the plan in question names it.`,
  );
}
