import type { Action } from "../model/action.ts";
import type { Draft } from "./draft.ts";
import type { Question } from "./question.ts";

/** What a plan cannot say because it was made of a kept snapshot: once each, and none of it blocks. */
export function tellKeptReading(question: Question, actions: readonly Action[]): readonly Draft[] {
  const { kept, snapshot } = question;
  if (kept === undefined) return [];
  const drafts: Draft[] = [
    {
      code: "from-snapshot",
      subject: `service ${snapshot.service}`,
      message: `This is a preview: it was made of a snapshot that was read at ${snapshot.readAt}, and not of the service. ${creationWords(question, actions)}`,
      because: [],
      concerns: [],
    },
  ];
  return kept.addresses === "plain" ? drafts : [...drafts, ...unchecked(question, actions)];
}

function creationWords({ kept }: Question, actions: readonly Action[]): string {
  const created = actions.filter((action) => action.kind === "create-user");
  const count = created.filter(({ address, formerly = [] }) =>
    [address, ...formerly].some((one) => kept?.unsearched.has(one)),
  ).length;
  if (count === 0) return "`apply` reads the service again, and makes a plan of its own.";
  const who = count === 1 ? "1 of the people to be created was" : `${count} of the people to be created were`;
  return `${who} not searched for when it was read, and taken for absent because the complete list of users lacks them: \`apply\` reads the service again, and proves each absence by a search before it creates anybody.`;
}

/** What takes names or addresses that the snapshot does not hold. */
function unchecked({ policy }: Question, actions: readonly Action[]): readonly Draft[] {
  const told: Draft[] = [];
  if (policy.guards.nearDuplicate === "on" && actions.some(({ kind }) => kind === "create-user")) {
    told.push(
      notChecked(
        "guard near-duplicate",
        "Whether somebody who is to be created is there already under a near address was not checked",
      ),
    );
  }
  told.push(
    notChecked("profiles", "Whether the names and titles of people are as the roster has them was not checked"),
  );
  return told;
}

function notChecked(subject: string, what: string): Draft {
  const message = `${what}: the snapshot holds hashed addresses and no names. A plan that reads the service checks it.`;
  return { code: "not-checked", subject, message, because: [], concerns: [] };
}
