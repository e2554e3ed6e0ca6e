import { planLines, play } from "../../../support/scenes.ts";

play("the key in use", planLines)`
  there: {root: {own: [ACCOUNT_ADMIN]}}
  keys: {k-root: {roles: [TEAM_ROLE]}}
  keyInUse: k-root
is left alone where it would lose what lets it administer
  > ! own-key: key k-root
loses a harmless role
  there: {root: {own: [ACCOUNT_ADMIN, TEAM_ROLE]}}
  keys: {k-root: {roles: [ACCOUNT_ADMIN]}}
  > set k-root (observed) to ACCOUNT_ADMIN
is another one
  keyInUse: k-other
  > set k-root (observed) to TEAM_ROLE
is left alone where it may lose it, as its roles are hidden
  hides: [roles]
  > ! own-key: key k-root
keeps a privileged role, as far as can be told
  keys: {k-root: {roles: [ACCOUNT_ADMIN]}}
  hides: [roles]
  > set k-root (observed) to ACCOUNT_ADMIN
`;
