import { distinctReasons } from "../model/fact.ts";
import type { FindingDraft } from "./draft.ts";
import type { KnownKeyUpdate } from "./key-wishes.ts";
import { formatRoles, joinList, keySubject } from "./subjects.ts";

type KeyUpdateGroup = readonly KnownKeyUpdate[];

/** Several places of the roster lead to one key and want different roles on it. */
export function reportConflict(group: KeyUpdateGroup): FindingDraft {
  const wanted = group.map((wish) => `${formatRoles(wish.roles)} (${describeRequester(wish)})`);
  const prefix = groupPrefix(group);
  const message =
    `The key ${prefix} is given different roles: ${joinList(wanted)}. Its roles are left alone ` +
    "until these places agree, or until a wrong prefix among them is corrected.";
  return { code: "conflicting-roles", ...groupFinding(group), message };
}

function describeRequester({ asks, concern }: KnownKeyUpdate): string {
  switch (asks) {
    case "member":
      return `${concern.address} in team ${concern.team}`;
    case "user":
      return `ownKeyRoles of ${concern.address}`;
    case "list":
      return "the list of keys";
    case "leaver":
      return `${concern.address}, a leaver`;
    case "removal":
      return `\`onRemoval\` of team ${concern.team}, of which ${concern.address} is no member`;
  }
}

function groupFinding(group: KeyUpdateGroup): Pick<FindingDraft, "subject" | "because" | "concerns"> {
  return {
    subject: keySubject(groupPrefix(group)),
    because: distinctReasons(group.flatMap(({ because }) => because)),
    concerns: group.map(({ concern }) => concern),
  };
}

function groupPrefix(group: KeyUpdateGroup): string {
  return group[0]?.key.value ?? "";
}
