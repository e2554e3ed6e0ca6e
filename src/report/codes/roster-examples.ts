/** What `roster validate` prints of a file with such a fault. The tests of the pages write this file. */
export const rosterExamples: Readonly<Record<string, string>> = {
  "yaml-syntax": `roster.yaml:6:1: error[yaml-syntax]: Wrong indentation: this line has 3 spaces, its neighbours have 4.
  6 |    firstName: Bo
    | ^
  hint: Start all entries of one map or list in the same column.`,
  "bad-value": `roster.yaml:7:12: error[bad-value]: \`roles\` must be a list, not a text.
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
  "not-a-roster-file": `roster.yaml:1:1: error[not-a-roster-file]: This is not a roster file: it has no \`users\`, \`teams\` or other section.
  1 | services:
    | ^^^^^^^^
  hint: Move the file, or list only your roster files in \`roster.config.yaml\`:
  \`roster: [roster.yaml]\`.`,
  duplicate: `roster.yaml:8:11: error[duplicate]: The team \`platform\` is listed twice in the account \`acc-1\`; first at roster.yaml:6:11.
  8 |   - name: platform
    |           ^^^^^^^^
  hint: Merge the two or rename one. If the service has two such teams, add \`identifier:\` to both.`,
  contradiction: `roster.yaml:6:14: error[contradiction]: \`ada@acme.example\` is a leaver here and a user at roster.yaml:4:14.
  6 |   - { email: ada@acme.example }
    |              ^^^^^^^^^^^^^^^^
  hint: Remove the \`leavers\` entry if this person came back; otherwise remove the \`users\` entry.`,
  "unknown-name": `roster.yaml:7:23: error[unknown-name]: The member \`ad@acme.example\` is not a user of this roster.
  7 |     members: [{ user: ad@acme.example }]
    |                       ^^^^^^^^^^^^^^^
  hint: Did you mean \`ada@acme.example\`?`,
  "not-a-member": `roster.yaml:7:12: error[not-a-member]: The administrator \`ada@acme.example\` is not a member of the team \`Platform\`.
  7 |     admin: ada@acme.example
    |            ^^^^^^^^^^^^^^^^
  hint: Add \`- { user: ada@acme.example }\` to its members.`,
  "role-set-as-role": `roster.yaml:9:5: warning[role-set-as-role]: \`engineer\` is read as a role here, but it is also the name of a role set.
  9 |     roles: [engineer]
    |     ^^^^^
  hint: Write \`{ set: engineer }\` to use the role set, or rename the role set.`,
};
