import { messageLines, planLines, play, wholeFindings } from "../../support/scenes.ts";

play("somebody of the last applied roster", planLines)`
  there: {root, dee: {own: []}}
  users: {root}
  applied: [root, dee]
is told where nobody names them any more
  > ! user-removed: user dee
is told where it is not proven that they are gone
  there: {dee: gone}
  unproven: {dee}
  > ! user-removed: user dee
is nothing once they are gone
  there: {dee: gone}
is not dropped where they became a leaver
  leavers: {dee}
  > ! leaver-remains: user dee
is not dropped where they have another address, and the roster says which
  users: {dee.new: {previously: [dee]}}
  > ! former-address: user dee.new
is not dropped where they moved to another account
  users: {dee: {account: acc-2}}
  > ! account-unavailable: account acc-2
is nobody's matter where a person releases them
  allows: [user-removed:dee@acme.example]
is not also unmanaged
  reportUnmanaged: true
  > ! user-removed: user dee
is no matter of a run about somebody else
  include: [user:root]
is told one by one up to three
  there: {a, b, c}
  applied: [a, b, c]
  > ! user-removed: user a
  > ! user-removed: user b
  > ! user-removed: user c
`;

play("somebody of the last applied roster is told", wholeFindings)`
  there: {root, dee}
  users: {root}
  applied: [dee]
with both ways out, and the YAML of the first
  > task user-removed: user dee
  > An earlier apply had dee in its roster. Now no file lists them as a user or a leaver. The service still shows them.
    roster changes nothing, because a file may be missing. List the user under \`leavers\`, or add them again. To stop
    managing them, allow it: run \`--allow user-removed:dee\`.
  > rests on user dee: recorded, in the applied roster, 2026-11-01T00:00:00.000Z
  > rests on user dee: observed, present, list
  > allow ["user-removed:dee"]
  > suggestedYaml # If they left:
  > suggestedYaml leavers:
  > suggestedYaml   - email: dee
  > suggestedYaml     since: 2026-11-20
  > accept {"code":"user-removed:dee","until":"2026-12-20"}
`;

play("people of the last applied roster are told", messageLines)`
  there: {root, dee}
  users: {root}
  applied: [dee]
not to be left quite alone where a team revokes roles whoever is in it
  teams: {Red: {identifier: t-1, onRemoval: revoke}}
  > ! user-removed: An earlier apply had dee in its roster. Now no file lists them as a user or a leaver. The service still
    shows them. roster changes nothing, except in teams with \`onRemoval: revoke\`, because a file may be missing. List the
    user under \`leavers\`, or add them again. To stop managing them, allow it: run \`--allow user-removed:dee\`.
all at once as well, where they are more than three
  there: {a, b, c, dee}
  applied: [a, b, c, dee]
  > ! user-removed: 4 users of applied rosters are in no file now: a, b, c and dee. Check if a file was lost in a merge. If
    not, each user has a finding with the next step.
  > ! user-removed: An earlier apply had a in its roster. Now no file lists them as a user or a leaver. The service still
    shows them. roster changes nothing, because a file may be missing. List the user under \`leavers\`, or add them again.
    To stop managing them, allow it: run \`--allow user-removed:a\`.
  > ! user-removed: An earlier apply had b in its roster. Now no file lists them as a user or a leaver. The service still
    shows them. roster changes nothing, because a file may be missing. List the user under \`leavers\`, or add them again.
    To stop managing them, allow it: run \`--allow user-removed:b\`.
  > ! user-removed: An earlier apply had c in its roster. Now no file lists them as a user or a leaver. The service still
    shows them. roster changes nothing, because a file may be missing. List the user under \`leavers\`, or add them again.
    To stop managing them, allow it: run \`--allow user-removed:c\`.
  > ! user-removed: An earlier apply had dee in its roster. Now no file lists them as a user or a leaver. The service still
    shows them. roster changes nothing, because a file may be missing. List the user under \`leavers\`, or add them again.
    To stop managing them, allow it: run \`--allow user-removed:dee\`.
`;
