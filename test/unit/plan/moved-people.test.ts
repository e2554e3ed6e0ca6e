import { applyEvents } from "../../../src/log/fold.ts";
import { recordsMoved } from "../../../src/log/moved-records.ts";
import { emptyState } from "../../../src/model/state.ts";
import { aRoster } from "../../support/roster-builders.ts";
import { type Parts, planLines, play, wholeFindings } from "../../support/scenes.ts";
import { recordedAt } from "../../support/state-builders.ts";

/** An apply's plan: records follow those whom the service shows under another address. */
function moved({ roster = aRoster({}), snapshot, state = emptyState("test"), ...parts }: Parts): Parts {
  const event = recordsMoved(roster, snapshot, state, recordedAt);
  return { ...parts, roster, snapshot, state: applyEvents(state, event === undefined ? [] : [event]) };
}

play("of an address that was changed in the service first,", (parts) => planLines(moved(parts)))`
  there: {ada.new: {identifier: u-ada, in: {Data}}}
  users: {ada}
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  state:
    users: {ada: {identifier: u-ada, createdAt: RECORDED, key: k-ada.new}}
    members: {Data/ada: {prefix: k-ada.new-data}}
nobody is created
  > ! user-missing: user ada
  > ! extra-member: member ada.new of team acc-1/data
nobody is created where the other is a leaver
  leavers: {ada.new}
  > set k-ada.new (observed) to nothing
  > set k-ada.new-data (observed) to nothing
  > ! leaver-remains: user ada.new
  > ! user-missing: user ada
nobody is created where that user is deleted
  there: {ada.new: {status: deleted}}
  > ! user-missing: user ada
all that was recorded counts once the roster says so: nobody is mailed, and no prefix is lost
  users: {ada: gone, ada.new: {previously: [ada]}}
  teams: {Data: {members: [ada.new]}}
  > set k-ada.new-data (observed) to DEVELOPER
all that was recorded counts, where keys are hidden as well
  users: {ada: gone, ada.new: {previously: [ada]}}
  teams: {Data: {members: [ada.new]}}
  hides: [keys]
  > set k-ada.new-data (recorded) to DEVELOPER
it may have been changed in the roster first: that is told, and never a second account
  there: {ada.new: gone, ada: {in: {Data}}}
  users: {ada: gone, ada.new: {previously: [ada]}}
  teams: {Data: {members: [ada.new]}}
  > ! former-address: user ada.new
a leaver who is back among the users, and still there, gets their roles back, and no second mail
  there: {ada.new: gone, ada: {own: [], in: {Data: []}}}
  state: {members: {Data/ada: {prefix: k-ada-data}}, keys: {k-ada-data: {setRoles: [], observedRoles: []}}}
  > set k-ada-data (observed) to DEVELOPER
a leaver who is back and gone has vanished
  there: {ada.new: gone, root}
  shown: {Data}
  > ! user-missing: user ada
`;

play("an address that was changed in the service first is told", (parts) => wholeFindings(moved(parts)))`
  there: {ada.new: {identifier: u-ada}}
  users: {ada}
  state: {users: {ada: {identifier: u-ada, createdAt: RECORDED}}}
with the YAML that says so too
  > task user-missing: user ada
  > ada was created at 2026-11-01T00:00:00.000Z. The service shows that user as ada.new now, so the address was changed
    there. roster does not create the user again. Write ada.new as the \`email\`, and ada under \`previously\`. If they are
    two different people, allow a new user: run \`--allow user-missing:ada\`.
  > because user at 1
  > rests on user ada: recorded, present, 2026-11-01T00:00:00.000Z
  > rests on user ada.new: observed, present as u-ada, list
  > rests on user ada: observed, absent, list
  > allow ["user-missing:ada"]
  > suggestedYaml # If it is the same person:
  > suggestedYaml users:
  > suggestedYaml   - email: ada.new
  > suggestedYaml     previously: [ada]
  > accept {"code":"user-missing:ada","until":"2026-12-20"}
`;

const toldOfAda = (parts: Parts) =>
  wholeFindings(moved(parts)).filter((line) => /^(?:ada was created|suggestedYaml)/u.test(line));

play("an address that was changed in the service first is told without YAML where", toldOfAda)`
  there: {ada.new: {identifier: u-ada}}
  users: {ada}
  state: {users: {ada: {identifier: u-ada, createdAt: RECORDED}}}
the roster names both
  users: {ada.new}
  > ada was created at 2026-11-01T00:00:00.000Z. The service shows that user as ada.new now. roster does not recreate users
    on its own. Correct the address, or remove the user from the roster. If you want a new user, allow it: run
    \`--allow user-missing:ada\`.
the other is a leaver
  leavers: {ada.new}
  > ada was created at 2026-11-01T00:00:00.000Z. The service shows that user as ada.new now. roster does not recreate users
    on its own. Correct the address, or remove the user from the roster. If you want a new user, allow it: run
    \`--allow user-missing:ada\`.
that user is deleted
  there: {ada.new: {status: deleted}}
  > ada was created at 2026-11-01T00:00:00.000Z. The service does not show the address any more. roster does not recreate
    users on its own. Correct the address, or remove the user from the roster. If you want a new user, allow it: run \`--allow user-missing:ada\`.
`;
