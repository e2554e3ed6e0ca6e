import type { Action } from "../model/action.ts";
import type { FindingDraft } from "./draft.ts";
import type { PlanContext } from "./question.ts";

/** What a plan cannot say because it was made of a kept snapshot: once each, and none of it blocks. */
export function reportSnapshotSource(context: PlanContext, actions: readonly Action[]): readonly FindingDraft[] {
  const { kept, snapshot } = context;
  if (kept === undefined) return [];
  const drafts: FindingDraft[] = [
    {
      code: "from-snapshot",
      subject: `service ${snapshot.service}`,
      message: `This is a preview: it was made of a snapshot that was read at ${snapshot.readAt}, and not of the service. ${formatUnsearched(context, actions)}`,
      because: [],
      concerns: [],
    },
  ];
  return kept.addresses === "plain" ? drafts : [...drafts, ...uncheckedFindings(context, actions)];
}

function formatUnsearched({ kept }: PlanContext, actions: readonly Action[]): string {
  const created = actions.filter((action) => action.kind === "create-user");
  const count = created.filter(({ address, formerly = [] }) =>
    [address, ...formerly].some((one) => kept?.unsearched.has(one)),
  ).length;
  if (count === 0) return "`apply` reads the service again, and makes a plan of its own.";
  const who = count === 1 ? "1 of the people to be created was" : `${count} of the people to be created were`;
  return `${who} not searched for when it was read, and taken for absent because the complete list of users lacks them: \`apply\` reads the service again, and proves each absence by a search before it creates anybody.`;
}

/** What takes names or addresses that the snapshot does not hold. */
function uncheckedFindings({ policy }: PlanContext, actions: readonly Action[]): readonly FindingDraft[] {
  const told: FindingDraft[] = [];
  if (policy.guards.nearDuplicate === "on" && actions.some(({ kind }) => kind === "create-user")) {
    told.push(
      notCheckedFinding(
        "guard near-duplicate",
        "Whether somebody who is to be created is there already under a near address was not checked",
      ),
    );
  }
  told.push(
    notCheckedFinding("profiles", "Whether the names and titles of people are as the roster has them was not checked"),
  );
  return told;
}

function notCheckedFinding(subject: string, what: string): FindingDraft {
  const message = `${what}: the snapshot holds hashed addresses and no names. A plan that reads the service checks it.`;
  return { code: "not-checked", subject, message, because: [], concerns: [] };
}
