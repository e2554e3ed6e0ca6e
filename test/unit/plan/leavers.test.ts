import { expect, test } from "vitest";
import { decodeSubject, factValue } from "../../../src/model/fact.ts";
import { aState, type InputParts, planned } from "../../support/plan-inputs.ts";
import { outcome } from "../../support/plan-words.ts";
import { allRefused, refusalMap } from "../../support/refusal-builders.ts";
import { messageLines, partsOf, planLines, play, reasonText, wholeFindings } from "../../support/scenes.ts";

play("a leaver", planLines)`
  there: {root}
  users: {root}
  leavers: {cy}
who is there: every key that has roles is emptied, first of all
  there: {cy: {in: {Data: [DEVELOPER]}, keys: {project: {roles: [AUDITOR]}}}}
  users: {ada}
  > set k-cy (observed) to nothing
  > set k-cy-data (observed) to nothing
  > set project (observed) to nothing
  > create ada
  > ! leaver-remains: user cy
whose keys are switched off or gone: they are left alone
  there: {cy: {keyStatus: inactive, keys: {gone: {kind: user, roles: [AUDITOR], status: deleted}}}}
  > ! leaver-remains: user cy
who is gone: nothing, whatever is recorded and listed
  leavers: {cy: {key: k-own}}
  keys: {listed: {owner: cy, roles: []}}
  state: {users: {cy: {createdAt: RECORDED, key: k-rec}}, members: {Data/cy: {prefix: k-team}}}
who is deleted: nothing
  there: {cy: {status: Deleted}}
who is barred: a notice, and the keys are emptied all the same
  there: {cy: {status: Inactive}}
  > set k-cy (observed) to nothing
  > leaver-remains: user cy
of whom it is not proven that they are gone
  everyone: {read: incomplete, why: page 7 failed}
  unproven: {cy}
  > ! leaver-remains: user cy
whose keys are not shown: those are emptied that are recorded and listed
  there: {cy}
  leavers: {cy: {key: k-own, teamKeys: [k-place, k-team]}}
  keys: {listed: {owner: cy, roles: []}}
  hides: [keys]
  state: {users: {cy: {createdAt: RECORDED, key: k-rec}}, members: {Data/cy: {prefix: k-team}}}
  > set k-rec (recorded) to nothing
  > set k-team (recorded) to nothing
  > set k-own (declared) to nothing
  > set k-place (declared) to nothing
  > set listed (declared) to nothing
  > ! leaver-remains: user cy
whose keys are not shown, and were emptied before
  there: {cy}
  hides: [keys]
  state: {users: {cy: {createdAt: RECORDED, key: k-rec}}, keys: {k-rec: {setRoles: [], observedRoles: [TEAM_ROLE]}}}
  > ! leaver-remains: user cy
on whose key the service keeps a privilege: one finding all the same
  there: {cy: {own: [ACCOUNT_ADMIN]}}
  state: {keys: {k-cy: {setRoles: [], observedRoles: [ACCOUNT_ADMIN]}}}
  > ! leaver-remains: user cy
whose recorded key is shown as somebody else's
  there: {cy: {own: none}, dee}
  state: {users: {cy: {createdAt: RECORDED, key: k-dee}}}
  > ! leaver-remains: user cy
who is there twice: the keys of both
  there: {cy, CY}
  > set k-cy (observed) to nothing
  > set k-CY (observed) to nothing
  > ! leaver-remains: user cy
who has another address by now: found by the recorded identifier
  there: {cy.away: {identifier: u-cy}}
  state: {users: {cy: {identifier: u-cy, seenAt: RECORDED}}}
  > set k-cy.away (observed) to nothing
  > ! leaver-remains: user cy
who came back under another address, which the roster names
  there: {cy.new: {identifier: u-cy}}
  users: {cy.new}
  state: {users: {cy: {identifier: u-cy, seenAt: RECORDED}}}
whose addition was announced and may still be done
  there: {cy: {own: none}}
  open: {add cy to Science as t-1}
  > ! unknown-outcome: user cy
  > ! leaver-remains: user cy
whose key is listed with roles, without an owner: a leaver holds nothing, and that is told
  there: {cy}
  keys: {k-cy: {roles: [DEVELOPER]}}
  > set k-cy (observed) to nothing
  > ! leaver-remains: user cy
  > ! conflicting-roles: key k-cy
whose key is only recorded, and listed with roles: nobody can tell, and nothing is done
  there: {cy}
  keys: {k-rec: {roles: [DEVELOPER]}}
  hides: [keys]
  state: {users: {cy: {createdAt: RECORDED, key: k-rec}}}
  > ! leaver-remains: user cy
  > ! conflicting-roles: key k-rec
who is still in a team, which is no finding of its own
  there: {cy: {own: [], in: {Data: []}}}
  teams: {Data: {identifier: t-data}}
  > ! leaver-remains: user cy
whom nobody asks about in an unselected run
  there: {cy}
  teams: {Data: {identifier: t-data}}
  include: [team:Data]
who is selected by name
  there: {cy}
  include: [user:cy]
  > set k-cy (observed) to nothing
  > ! leaver-remains: user cy
who is not unmanaged
  there: {cy: {own: none}}
  reportUnmanaged: true
  > ! leaver-remains: user cy
whose key is the one in use keeps the role by which anything may be done, and that is told
  there: {cy: {own: [ACCOUNT_ADMIN]}}
  keyInUse: k-cy
  > ! own-key: key k-cy
  > ! leaver-remains: user cy
`;

play("of a leaver is told", messageLines)`
  leavers: {cy}
  there: {root}
  users: {root}
that a call may still be done: its time, from when on that is decided, and what to type
  open: {create cy}
  > ! unknown-outcome: cy is a leaver. roster sent a call to create this user (2026-11-01T00:00:00.000Z), and the outcome is unknown. roster does not send the call again. Look in the service. If the service shows the change, run \`roster state resolve 8fcbcfd0 done\`. If you know that the call had no effect, run \`roster state resolve 8fcbcfd0 not-done\`.
that a call may still be done, and what to type, where the service does not show its time
  open: {create cy: RECORDED undated}
  > ! unknown-outcome: cy is a leaver. roster sent a call to create this user (2026-11-01T00:00:00.000Z), and the outcome is unknown. roster does not send the call again. Look in the service. If the service shows the change, run \`roster state resolve 8fcbcfd0 done\`. If you know that the call had no effect, run \`roster state resolve 8fcbcfd0 not-done\`.
a membership that the service does not show, as recorded
  there: {cy}
  hides: [keys]
  state: {members: {Science/cy: {prefix: k-9}}, keys: {k-9: []}, teams: {Science: {identifier: t-9}}}
  > ! leaver-remains: cy is a leaver, and the service still has this user (identifier u-cy) in acc-1, with a membership in Science (t-9,
    key k-9, from the state) and keys that the service does not show. The API cannot delete users or end memberships. Delete or disable this user in the web interface of the service.
  > not-observed: The service does not show everything: the roles of 1 key are taken from the state (the oldest at
    2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift in these facts.
`;

play("a leaver is told whole:", wholeFindings)`
  there: {root}
  users: {root}
since when, what is left of them, and what to do by hand
  there: {cy: {status: Invited, in: {Data}}}
  leavers: {cy: {since: 2026-11-20, ownership: {note: HR-812}, line: 7}}
  state: {keys: {k-cy-data: {setRoles: [], observedRoles: [TEAM_ROLE]}}, teams: {Data: {firstMember: cy@acme.example}}}
  > task leaver-remains: user cy
  > cy is a leaver (since 2026-11-20), and the service still has this user (identifier u-cy), Invited, in acc-1, with a membership in Data (t-data, key k-cy-data) and TEAM_ROLE on the key k-cy-data, which the service does not remove. The API cannot delete users or end memberships. Delete or disable this user in the web interface of the service. roster created Data with this user as first member. Check that this team has another admin.
  > because leaver at 7
  > rests on user cy: declared, a leaver since 2026-11-20, roster.yaml:7
  > rests on user cy: observed, present as Invited, list
  > ownership {"note":"HR-812"}
  > roles ["TEAM_ROLE"]
  > accept {"code":"leaver-remains:cy","until":"2026-12-20"}
`;

/** Each key that is emptied: of which team it is, whether it is their own, and why it is emptied. */
function keyLines(parts: InputParts): readonly string[] {
  const plan = planned(parts);
  return plan.actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
    const { team, prefix, own, address } = action.key;
    const { identifier } = (team && plan.teams.get(team)) ?? {};
    const of = [address?.split("@")[0], own && "own", team, identifier && factValue(identifier)].filter(Boolean);
    return [`${factValue(prefix)} of ${of.join(" ")}, ${action.because.map(reasonText).join()}`];
  });
}

play("a key of a leaver says of which team it is, or that it is their own:", keyLines)`
  there: {root}
  users: {root}
  leavers: {cy: {line: 7}}
a team of the roster
  there: {cy: {in: {Data: [A]}}}
  teams: {Data: {identifier: t-data}}
  > k-cy of cy own, leaver at 7
  > k-cy-data of cy acc-1/data t-data, leaver at 7
of two teams that are shown only
  shown: {Other: {name: Data}}
  there: {cy: {in: {Data: [A], Other: [A]}}}
  > k-cy of cy own, leaver at 7
  > k-cy-data of cy acc-1/data ID t-data t-data, leaver at 7
  > k-cy-other of cy acc-1/data ID t-other t-other, leaver at 7
a team that is shown by its name
  there: {cy: {in: {Data: [A]}}}
  teams: {Data: {identifier: t-data}}
  hides: [team-identifiers]
  > k-cy of cy own, leaver at 7
  > k-cy-data of cy acc-1/data t-data, leaver at 7
unless only its name is shown, and no team of the roster has it
  there: {cy: {in: {Data: [A]}}}
  hides: [team-identifiers]
  > k-cy of cy own, leaver at 7
  > k-cy-data of cy, leaver at 7
teams that are recorded
  there: {cy}
  teams: {Data: {identifier: t-data}}
  hides: [keys]
  state: {members: {Data/cy: {prefix: k-data}, Ops/cy: {prefix: k-ops}, Lab/cy: {}}, teams: {Ops: {identifier: t-7}}}
  > k-data of cy acc-1/data t-data, leaver at 7
  > k-ops of cy acc-1/ops t-7, leaver at 7
their own came with them by our record
  there: {cy}
  hides: [keys]
  state: {users: {cy: {createdAt: RECORDED, key: k-rec}}}
  > k-rec of cy own, leaver at 7
their own did not come with a team
  there: {cy}
  hides: [keys]
  state: {users: {cy: {createdAt: RECORDED, key: k-rec, createdTeam: acc-1/data}}}
  > k-rec of cy, leaver at 7
their own is the one that the roster named so
  there: {cy}
  leavers: {cy: {key: k-own, teamKeys: [k-team]}}
  hides: [keys]
  > k-own of cy own, leaver at 7,known-prefix at 7
  > k-team of cy, leaver at 7,known-prefix at 7
`;

test("a key of a leaver is emptied since that day, and told by hand once the service has refused that", () => {
  const parts = partsOf("{there: {root, cy}, users: {root}, leavers: {cy: {since: 2026-11-20, line: 7}}}");
  expect(planned(parts).actions).toMatchObject([
    {
      before: { known: "observed", value: ["TEAM_ROLE"] },
      roles: [],
      restsOn: [
        { about: decodeSubject("roles of key k-cy") },
        {
          about: decodeSubject("user cy@acme.example"),
          known: "declared",
          value: "a leaver since 2026-11-20",
        },
      ],
    },
  ]);
  const state = aState({ refusals: refusalMap(...allRefused(planned(parts))) });
  const again = planned({ ...parts, state });
  expect(outcome(again)).toEqual(["! leaver-remains: user cy@acme.example", "! refused: key k-cy"]);
  expect(again.findings[1]?.message).toContain("Disable the key in the service.");
});

play("somebody who leaves soon is told of two weeks ahead:", wholeFindings)`
  there: {ada}
  users: {ada: {line: 4}}
tomorrow
  users: {ada: {until: 2026-11-21}}
  > notice date-ahead: user ada
  > ada leaves in 1 day, on 2026-11-21. The first \`roster apply\` on or after that day removes all roles of this user's keys. From that day on, roster ignores the user's \`members\` entries. If ada stays, change or remove \`until\`.
  > because until 2026-11-21 at 4
  > because user at 4
  > rests on until of user ada: declared, 2026-11-21, roster.yaml:4
  > rests on today: observed, 2026-11-20, clock
`;

play("somebody who leaves soon is told of two weeks ahead:", planLines)`
  there: {ada}
in 14 days
  users: {ada: {until: 2026-12-04}}
  > date-ahead: user ada
in 15 days
  users: {ada: {until: 2026-12-05}}
`;

play("a member too many", planLines)`
  there: {root, bo: {own: [TEAM_ROLE], in: {Data}}}
  users: {root}
  teams: {Data: {identifier: t-data, onRemoval: revoke}}
loses the roles of their key in a team that revokes roles
  > set k-bo-data (observed) to nothing
  > ! extra-member: member bo of team acc-1/data
is asked once, where the service keeps a role on the key
  state: {members: {Data/bo: {prefix: k-bo-data}}, keys: {k-bo-data: {setRoles: [], observedRoles: [TEAM_ROLE]}}}
  > ! extra-member: member bo of team acc-1/data
on whose key a privilege stays is told for it too
  there: {bo: {in: {Data: [ACCOUNT_ADMIN]}}}
  state: {members: {Data/bo: {prefix: k-bo-data}}, keys: {k-bo-data: {setRoles: [], observedRoles: [ACCOUNT_ADMIN]}}}
  > ! extra-member: member bo of team acc-1/data
  > ! roles-kept-by-service: key k-bo-data
whom the roster names elsewhere is told all the same
  users: {bo}
  teams: {Data: {onRemoval: report}}
  > ! extra-member: member bo of team acc-1/data
who has not accepted an invitation yet is told
  there: {bo: {status: invited}}
  teams: {Data: {onRemoval: report}}
  > ! extra-member: member bo of team acc-1/data
whose key is switched off or deleted, or who is barred, is none
  there:
    bo: {keyStatus: inactive}
    cy: {own: none, in: {Data}, keyStatus: Deleted}
    di: {own: none, in: {Data}, status: Inactive}
is nobody in an open team
  teams: {Data: {open: true}}
who is a member under a later address is none
  users: {bo.new: {previously: [bo]}}
  teams: {Data: {members: [bo.new]}}
  > ! former-address: user bo.new
whose key the roster lists with roles is in doubt, and nothing is done
  keys: {k-bo-data: {roles: [DEVELOPER]}}
  > ! extra-member: member bo of team acc-1/data
  > ! conflicting-roles: key k-bo-data
by record loses them where the service shows no keys
  hides: [keys]
  state: {members: {Data/bo: {prefix: k-bo-data}}}
  > set k-bo-data (recorded) to nothing
by record lost them already
  hides: [keys]
  state: {members: {Data/bo: {prefix: k-bo-data}}, keys: {k-bo-data: {setRoles: [], observedRoles: [TEAM_ROLE]}}}
`;

play("a member too many is told with", messageLines)`
  there: {root, bo: {in: {Data: [B, A]}}}
  users: {root}
  teams: {Data: {identifier: t-data, onRemoval: revoke}}
the roles that their key carries
  teams: {Data: {onRemoval: report}}
  > ! extra-member: In the service, bo is a member of Data with the key k-bo-data (A, B). roster cannot remove a member. If bo must not be in Data, remove the member in the web interface of the service. If you add \`onRemoval: revoke\` to the team in the roster, the next apply removes the roles of k-bo-data. If bo belongs in the team, correct the roster: list this user under \`users\` and in the \`members\` of Data.
what becomes of the key
  > ! extra-member: In the service, bo is a member of Data with the key k-bo-data (A, B). The team has \`onRemoval:
    revoke\`, so apply removes the roles of k-bo-data. roster cannot remove a member. If bo must not be in Data, remove the member in the web interface of the service. If bo belongs in the team, correct the roster: list this user under \`users\` and in the \`members\` of Data.
what has become of the key
  there: {bo: {in: {Data: []}}}
  > extra-member: In the service, bo is a member of Data with the key k-bo-data. The key has no roles, because the team has \`onRemoval: revoke\`. roster cannot remove a member. To end this notice, remove the member in the web interface of the service. If bo belongs in the team, correct the roster: list this user under \`users\` and in the \`members\` of Data.
what the service kept on the key
  there: {bo: {in: {Data: [TEAM_ROLE]}}}
  state: {members: {Data/bo: {prefix: k-bo-data}}, keys: {k-bo-data: {setRoles: [], observedRoles: [TEAM_ROLE]}}}
  > ! extra-member: In the service, bo is a member of Data with the key k-bo-data (TEAM_ROLE). roster removed the
    roles of k-bo-data, but it still has TEAM_ROLE. roster cannot remove a member. If bo must not be in Data, remove the member in the web interface of the service. If bo belongs in the team, correct the roster: list this user under \`users\` and in the \`members\` of Data.
`;
