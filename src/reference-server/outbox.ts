import type { Identifiers } from "./identifiers.ts";
import type { Team, User } from "./world.ts";

/** One invitation mail that the service has sent. */
export interface InvitationMail {
  /** The team's identifier. */
  readonly team: string;
  readonly teamName: string;
  /** The identifier of the user who is invited. */
  readonly user?: string;
  /** To whom, as the user's address stood then. */
  readonly address: string;
  /** ISO 8601. */
  readonly at: string;
  /** The access to the team. */
  readonly link: string;
}

/** Keeps every mail, oldest first. */
export class Outbox {
  readonly mails: InvitationMail[];
  readonly #identifiers: Pick<Identifiers, "secret">;

  /** Goes on with the mails that were sent before. */
  constructor(identifiers: Pick<Identifiers, "secret">, before: readonly InvitationMail[] = []) {
    this.#identifiers = identifiers;
    this.mails = [...before];
  }

  sendInvitation(invitation: { team: Team; user: User; at: string; endpoint: string }): void {
    const { team, user, at, endpoint } = invitation;
    const link = `${endpoint}/invitations/${this.#identifiers.secret()}`;
    this.mails.push({
      team: team.identifier,
      teamName: team.name,
      user: user.identifier,
      address: user.email,
      at,
      link,
    });
  }
}
