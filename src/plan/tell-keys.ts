import { distinctReasons } from "../model/reason.ts";
import type { Draft } from "./draft.ts";
import type { KnownKeyWish } from "./key-wishes.ts";
import { keySubject, listed, showRoles } from "./subjects.ts";

type Group = readonly KnownKeyWish[];

/** Several places of the roster lead to one key and want different roles on it. */
export function tellConflict(group: Group): Draft {
  const wanted = group.map((wish) => `${showRoles(wish.roles)} (${asker(wish)})`);
  const prefix = prefixOf(group);
  const message =
    `The key ${prefix} is given different roles: ${listed(wanted)}. Its roles are left alone ` +
    "until these places agree, or until a wrong prefix among them is corrected.";
  return { code: "conflicting-roles", ...about(group), message };
}

function asker({ asks, concern }: KnownKeyWish): string {
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

function about(group: Group): Pick<Draft, "subject" | "because" | "concerns"> {
  return {
    subject: keySubject(prefixOf(group)),
    because: distinctReasons(group.flatMap(({ because }) => because)),
    concerns: group.map(({ concern }) => concern),
  };
}

function prefixOf(group: Group): string {
  return group[0]?.key.value ?? "";
}
