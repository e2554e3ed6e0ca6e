/** What `roster validate` prints of a file with such a fault. The tests of the pages write this file. */
export const rosterExamples: Readonly<Record<string, string>> = {
  "yaml-indentation": `roster.yaml:6:1: error[yaml-indentation]: Wrong indentation: this line has 3 spaces, its neighbours have 4.
  6 |    firstName: Bo
    | ^
  hint: Start all entries of one map or list in the same column.`,
  "yaml-tab": `roster.yaml:6:1: error[yaml-tab]: This line is indented with a tab; YAML allows only spaces.
  6 |  firstName: Bo
    | ^
  hint: Replace every tab at the start of a line by spaces.`,
  "yaml-duplicate-key": `roster.yaml:4:47: error[yaml-duplicate-key]: The key lastName is twice in one map; first in line 4.
  4 |   - { email: ada@acme.example, lastName: Ada, lastName: Lovelace }
    |                                               ^^^^^^^^
  hint: Remove one, or merge their values.`,
  "wrong-type": `roster.yaml:7:12: error[wrong-type]: \`roles\` must be a list, not a text.
  7 |     roles: DEVELOPER
    |            ^^^^^^^^^
  hint: Write \`[DEVELOPER]\`.`,
  "unknown-key": `roster.yaml:4:32: error[unknown-key]: A user has no key \`firstname\`.
  4 |   - { email: ada@acme.example, firstname: Ada, lastName: Lovelace }
    |                                ^^^^^^^^^
  hint: Did you mean \`firstName\`?`,
  "missing-key": `roster.yaml:4:5: error[missing-key]: A user needs \`lastName\`.
  4 |   - { email: ada@acme.example, firstName: Ada }
    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^`,
  "unsupported-version": `roster.yaml:1:10: error[unsupported-version]: This roster has format version 2; this program supports version 1.
  1 | version: 2
    |          ^
  hint: Write \`version: 1\`, or install a newer version of roster.`,
  "bad-text": `roster.yaml:4:58: error[bad-text]: \`lastName\` has no value.
  4 |   - { email: ada@acme.example, firstName: Ada, lastName: null }
    |                                                          ^^^^
  hint: Write a value, or remove the key.`,
  "bad-address": `roster.yaml:4:14: error[bad-address]: \`email\` is not an e-mail address: \`ada.acme.example\`.
  4 |   - { email: ada.acme.example, firstName: Ada, lastName: Lovelace }
    |              ^^^^^^^^^^^^^^^^
  hint: Write it like \`ada@acme.example\`.`,
  "bad-date": `roster.yaml:4:75: error[bad-date]: \`until\` is not a date: \`31.1.2027\`.
  4 |   - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, until: 31.1.2027 }
    |                                                                           ^^^^^^^^^
  hint: Write year, month and day, like \`2027-01-31\`.`,
  "not-a-roster-file": `roster.yaml:1:1: error[not-a-roster-file]: This is not a roster file: it has no \`users\`, \`teams\` or other section.
  1 | services:
    | ^^^^^^^^
  hint: Move the file, or list only your roster files in \`roster.config.yaml\`:
  \`roster: [roster.yaml]\`.`,
  "missing-account": `roster.yaml:2:1: error[missing-account]: This file has users but names no account.
  2 | users:
    | ^^^^^
  hint: Write \`account: IDENTIFIER\` at the top of the file, or \`account:\` in the settings.`,
  "duplicate-user": `roster.yaml:5:14: error[duplicate-user]: The user \`ada@acme.example\` is listed twice; first at roster.yaml:4:14.
  5 |   - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
    |              ^^^^^^^^^^^^^^^^
  hint: Remove one of the two.`,
  "duplicate-team": `roster.yaml:8:11: error[duplicate-team]: The team \`platform\` is listed twice in the account \`acc-1\`; first at roster.yaml:6:11.
  8 |   - name: platform
    |           ^^^^^^^^
  hint: Merge the two or rename one. If the service has two such teams, add \`identifier:\` to both.`,
  "duplicate-member": `roster.yaml:7:51: error[duplicate-member]: \`ada@acme.example\` is a member of this team twice; first in line 7.
  7 |     members: [{ user: ada@acme.example }, { user: ada@acme.example }]
    |                                                   ^^^^^^^^^^^^^^^^
  hint: Remove one of the two.`,
  "user-and-leaver": `roster.yaml:6:14: error[user-and-leaver]: \`ada@acme.example\` is a leaver here and a user at roster.yaml:4:14.
  6 |   - { email: ada@acme.example }
    |              ^^^^^^^^^^^^^^^^
  hint: Remove the \`leavers\` entry if this person came back; otherwise remove the \`users\` entry.`,
  "unknown-user": `roster.yaml:7:23: error[unknown-user]: The member \`ad@acme.example\` is not a user of this roster.
  7 |     members: [{ user: ad@acme.example }]
    |                       ^^^^^^^^^^^^^^^
  hint: Did you mean \`ada@acme.example\`?`,
  "unknown-group": `roster.yaml:7:24: error[unknown-group]: There is no group \`on-call\`.
  7 |     members: [{ group: on-call }]
    |                        ^^^^^^^
  hint: Define it under \`groups\`.`,
  "unknown-role-set": `roster.yaml:7:20: error[unknown-role-set]: There is no role set \`engineer\`.
  7 |     roles: [{ set: engineer }]
    |                    ^^^^^^^^
  hint: Define it under \`roleSets\`.`,
  "admin-not-member": `roster.yaml:7:12: error[admin-not-member]: The administrator \`ada@acme.example\` is not a member of the team \`Platform\`.
  7 |     admin: ada@acme.example
    |            ^^^^^^^^^^^^^^^^
  hint: Add \`- { user: ada@acme.example }\` to its members.`,
  "role-set-as-role": `roster.yaml:9:5: warning[role-set-as-role]: \`engineer\` is read as a role here, but it is also the name of a role set.
  9 |     roles: [engineer]
    |     ^^^^^
  hint: Write \`{ set: engineer }\` to use the role set, or rename the role set.`,
};
