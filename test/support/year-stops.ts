import type { Year, YearEvent } from "./year.ts";
import { admins, domain, type Person, type Team } from "./year-company.ts";
import { teamFile } from "./year-edition.ts";
import { mapTeam, oneAtATime } from "./year-slip.ts";

/** What gets merged although nobody meant it, and stops everything: it is no roster, or guards refuse its plan. */
export const stopEvents = oneAtATime({
  "a role set emptied": emptiedRoles,
  "an administrator leaves": adminLeaves,
  "an empty roster": emptyRoster,
  "a file cut in the middle": spoilt((text) => `${text.slice(0, Math.ceil(text.length / 2))}\n  - { name: "`),
  "a file emptied": spoilt(() => ""),
  "a key that is none": spoilt((text) => text.replace("account: acc-1", "acount: acc-1")),
  "a team that names nobody": nobody,
  "a leaver who stays in a team": leaverInTeam,
});

function emptiedRoles(year: Year): void {
  const managed = year.company.teams.filter(({ roles }) => roles !== undefined);
  const count = (teams: readonly Team[]) => teams.reduce((sum, { members }) => sum + members.size, 0);
  const engineers = count(managed.filter(({ roles }) => roles === "engineer"));
  if (engineers < 0.4 * count(managed)) return;
  year.open({
    what: "the role set engineer is emptied",
    people: [],
    due: year.in(1, 1),
    expects: 5,
    alter: (edition) => ({ ...edition, roleSets: { ...edition.roleSets, engineer: [] } }),
  });
}

function adminLeaves(year: Year): void {
  const [root, other] = admins;
  year.open({
    what: `${root} leaves`,
    people: [],
    due: year.in(1, 1),
    expects: 5,
    alter: (edition) => ({
      ...edition,
      users: edition.users.filter(({ email }) => email !== root),
      leavers: [...edition.leavers, { email: root, since: undefined }],
      teams: edition.teams.map((team) => ({
        ...team,
        admin: team.admin === root ? other : team.admin,
        members: team.members.filter(({ email }) => email !== root),
      })),
    }),
  });
}

function emptyRoster(year: Year): void {
  year.open({
    what: "nobody is left in the roster",
    people: [],
    due: year.in(1, 1),
    expects: 5,
    alter: (edition) => ({ ...edition, users: [], leavers: [], teams: [] }),
  });
}

/** Something happens to one of the files of teams. */
function spoilt(spoil: (text: string) => string): YearEvent {
  return (year) => {
    const team = year.dice.one(year.idleTeams());
    if (team === undefined) return;
    const file = teamFile(team.id);
    year.open({
      what: `${file} is spoilt`,
      people: [],
      teams: [team],
      due: year.in(1, 1),
      expects: 3,
      spoil(files) {
        const text = files.get(file);
        if (text !== undefined) files.set(file, spoil(text));
      },
    });
  };
}

function invalidTeam(year: Year, email: string, what: string, people: readonly Person[]): void {
  const team = year.dice.one(year.idleTeams());
  if (team === undefined) return;
  const member = { email, roles: undefined };
  year.open({
    what: `${team.name} names ${what}`,
    people,
    teams: [team],
    due: year.in(1, 1),
    expects: 3,
    alter: (edition) => mapTeam(edition, team.id, (one) => ({ ...one, members: [...one.members, member] })),
  });
}

function nobody(year: Year): void {
  invalidTeam(year, `nobody.at.all@${domain}`, "nobody whom the roster knows", []);
}

function leaverInTeam(year: Year): void {
  const leaver = year.dice.one(
    year.company.people.filter((person) => person.stage === "leaver" && year.isBusy(person)),
  );
  if (leaver !== undefined) invalidTeam(year, leaver.email, "a leaver", [leaver]);
}
