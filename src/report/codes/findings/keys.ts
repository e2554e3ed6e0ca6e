import { codeText } from "../code-words.ts";

/** Findings about keys and roles. */
export const aboutKeys = {
  "unknown-role": codeText(
    "the service does not know a role",
    "The roster asks for a role identifier that is not in the service's list. They are compared exactly, letter case included. Keys that want it are left as they are.",
    "Correct the role; the finding says which ones the service offers.",
  ),
  "role-of-another-kind": codeText(
    "a role does not belong on such a key",
    "The service knows the role, and says of what kind of key it is; the roster asks for it on another kind. Keys that want it are left as they are.",
    "Take the role out of these places, or name a key of the right kind under `keys`.",
  ),
  "key-ambiguous": codeText(
    "of several keys nobody can tell which one is meant",
    "An answer or a read shows several keys, and nothing tells which of them came with the creation or belongs to the team. None is guessed.",
    "Look it up in the service, and write its prefix as `key` into the roster.",
  ),
  "unknown-key": codeText(
    "the service does not know a key of the roster",
    "The roster names a key, under `keys` or as `key` of a user or of a member. The service shows keys of this kind, and this one is not among them. Prefixes are compared exactly.",
    "Correct the prefix, or take the key out of the roster.",
  ),
  "key-prefix-unknown": codeText(
    "the prefix of a team key is not known",
    "Somebody is a member, and the service does not show the prefix of their key in the team, without which its roles cannot be replaced.",
    "Look the prefix up in the service, and write it as `key` of the member.",
  ),
  "own-key-unknown": codeText(
    "the prefix of somebody's own key is not known",
    "The roster gives `ownKeyRoles`, and neither the service nor a record tells which key was created with the user.",
    "Look the prefix up in the service, and write it as `key` of the user.",
  ),
  "key-owner-differs": codeText(
    "a key belongs to another person or team",
    "The roster names a key, under `keys` or as `key` of a user or of a member. The service or the records show it as the key of another person or team, or a team key as an own key. No call moves a key, and its roles are left alone.",
    "Correct the owner or the prefix in the roster.",
  ),
  "conflicting-roles": codeText(
    "one key is given different roles",
    "Several places of the roster lead to the same key and ask for different roles, or a key that is shown as a leaver's is to have some.",
    "Make the places agree, or correct a wrong prefix among them.",
  ),
  "roles-implied": codeText(
    "the service keeps roles on a key whatever is asked of it",
    "A replacement asked for fewer roles than the key reads as afterwards. The same is not sent again. Where a privileged role stays, it blocks: somebody holds access that the roster denies.",
    "Write these roles into the roster, or have them taken away by hand.",
  ),
  "emptied-key": codeText(
    "a key has no roles, and nothing asks for any",
    "An earlier run took all roles from the key, such as those of a leaver who came back, and the roster does not say which ones it is to have now.",
    "Write the roles of the user or of the member, or `[]` where none are meant.",
  ),
  "privilege-for-a-moment": codeText(
    "a founder's key is privileged for a moment",
    "The service has no unprivileged role that a founding could ask for, so that the key carries a privileged one until the next step makes it exact.",
    "Nothing; look at who the founder is before you approve.",
  ),
  "unlisted-key": codeText(
    "somebody of the roster has a key that it does not name",
    "`--unmanaged` and `drift` read everybody. Nothing is done with the key.",
    "Write it under `keys`, or its team under `teams`, to have its roles managed.",
  ),
  "unlisted-key-privilege": codeText(
    "an unlisted key of somebody of the roster carries a privileged role",
    "The roster names the person and does not say which roles this key has, so that nobody has reviewed that they may administer others.",
    "Have the role taken away, write the key with its roles into the roster, or list the person under `guards.privileged-roles.people`.",
  ),
  "privileges-unread": codeText(
    "the service does not show who holds what",
    "The keys of users, or the roles of keys, are not shown, so that privileged roles beyond the roster cannot be seen.",
    "Look them up in the service where that matters.",
  ),
};
