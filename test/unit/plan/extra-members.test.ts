import { messageLines, planLines, play } from "../../support/scenes.ts";

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
  > ! extra-member: bo has the key k-bo-data of Data with A, B, but is not a member in the roster. The API cannot remove
    members. Remove them in the service, or add them to the roster. To allow all extra members, set \`open: true\` on the team.
what becomes of the key
  > ! extra-member: bo has the key k-bo-data of Data with A, B, but is not a member in the roster. The team has \`onRemoval:
    revoke\`, so apply removes the roles of this key. The API cannot remove members. Remove them in the service, or add them
    to the roster.
what has become of the key
  there: {bo: {in: {Data: []}}}
  > extra-member: bo has the key k-bo-data of Data, but is not a member in the roster. The key has no roles, because the
    team has \`onRemoval: revoke\`. The API cannot remove members. To hide this notice, remove the member in the service.
what the service kept on the key
  there: {bo: {in: {Data: [TEAM_ROLE]}}}
  state: {members: {Data/bo: {prefix: k-bo-data}}, keys: {k-bo-data: {setRoles: [], observedRoles: [TEAM_ROLE]}}}
  > ! extra-member: bo has the key k-bo-data of Data with TEAM_ROLE, but is not a member in the roster. roster removed the
    roles of this key, but it still has TEAM_ROLE. The API cannot remove members. Remove them in the service, or add them to
    the roster.
`;
