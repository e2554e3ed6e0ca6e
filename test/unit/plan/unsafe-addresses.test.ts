import { messageLines, planLines, play } from "../../support/scenes.ts";

play("an address that can be misread:", planLines)`
nobody is created under it, and everybody else is
  users: {eve@acme.example/é.evil.example, ada}
  > create ada
  > ! unsafe-address: user eve@acme.example/é.evil.example
whoever is there under it is managed like anybody
  there: {eve@acme.example/é.evil.example: {firstName: Eve}}
  users: {eve@acme.example/é.evil.example: {firstName: Eve}}
where it is not proven that they are absent, that is what has to be found out
  users: {eve@acme.example/é.evil.example}
  everyone: {read: incomplete, why: the service gives 3 of 50, by: list 1}
  > ! incomplete-read: user eve@acme.example/é.evil.example
nobody is created in a domain without a dot
  users: {eve@intranet}
  > ! unsafe-address: user eve@intranet
letters beyond ASCII before the @ are a notice where somebody is created
  users: {évé}
  > create évé
  > unsafe-address: user évé
letters beyond ASCII before the @ are nothing where they are there
  there: {évé}
  users: {évé}
`;

play("an address that can be misread is told", messageLines)`
with what is wrong and why that matters
  users: {eve@acme.example/é.evil.example}
  > ! unsafe-address: eve@acme.example/é.evil.example is not created: the address contains \`/\`. The service does not show this user,
    and a mail could reach another person. Correct it.
`;
