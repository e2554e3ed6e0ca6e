import type { Todo, TodoEntry } from "../../model/drift.ts";
import { formatPlace } from "../../model/fact.ts";
import { formatSubject, subjectPrefix, subjectTeam } from "../../model/subject.ts";
import { findings } from "../codes/findings.ts";
import { countTodo } from "../drift.ts";
import { formatTallies } from "../phrases.ts";

/** Something that people have to do. Names are stable. */
export interface TodoRow {
  readonly status: TodoEntry["status"];
  readonly code: string;
  readonly person: string | undefined;
  /** The account and the name of the team. */
  readonly team: string | undefined;
  readonly key: string | undefined;
  /** Such as `member ada@acme.example of team acc-1/platform`. */
  readonly subject: string;
  /** What it is, in a few words. */
  readonly what: string;
  /** What it is, why, and what can be done. */
  readonly message: string;
  readonly owner: string | undefined;
  readonly since: string;
  readonly due: string | undefined;
  readonly place: string | undefined;
  readonly fingerprint: string;
}

export function todoRow({ item, finding, status, since, due, person, owner }: TodoEntry): TodoRow {
  const { code, subject, message, because, fingerprint } = finding;
  const [place] = because;
  return {
    status,
    code,
    person,
    team: subjectTeam(item.subject),
    key: subjectPrefix(item.subject),
    subject: formatSubject(subject),
    what: findings[code].title,
    message,
    owner,
    since,
    due,
    place: place === undefined ? undefined : formatPlace(place),
    fingerprint,
  };
}

/** `3 open, 1 new, 1 overdue, 2 closed`; empty where there is nothing of it. */
export function formatTodoCounts(todo: Todo): string {
  const { open, opened, overdue, closed } = countTodo(todo);
  return formatTallies([open, "open"], [opened, "new"], [overdue, "overdue"], [closed, "closed"]).join(", ");
}

/** `since 2026-11-01, due 2026-11-15, owner ada@acme.example`. */
export function formatTodoDates({
  status,
  since,
  due,
  owner,
}: Pick<TodoEntry, "status" | "since" | "due" | "owner">): string {
  return [
    status === "opened" ? "new" : `since ${since.slice(0, 10)}`,
    ...(due === undefined ? [] : [status === "overdue" ? `was due ${due}` : `due ${due}`]),
    ...(owner === undefined ? [] : [`owner ${owner}`]),
  ].join(", ");
}
