// What a deep link is for, in the words of a lawyer, and the place in the app where it is done.

/** What a deep link names besides its action. Only ids are taken over; whatever else it carries is left out. */
export interface Errand {
  title: string;
  explain: string;
  /** The address where it is done, with the action ready; undefined means that it is done elsewhere, by a person. */
  place?: (ids: Ids) => string;
}

/** The ids of a deep link; "" where it carries none. */
export interface Ids {
  case: string;
  container: string;
  phase: string;
  invite: string;
}

const form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the ids of a deep link. */
export function idsOf(query: URLSearchParams): Ids {
  const id = (name: string): string => {
    const value = query.get(name) ?? "";
    return form.test(value) ? value : "";
  };
  return { case: id("case"), container: id("container"), phase: id("phase"), invite: id("invite") };
}

const inCase = (ids: Ids, part: string, query = ""): string =>
  ids.case ? `/app/cases/${ids.case}${part}${query && `?${query}`}` : "/app/cases";

/** Every action that a deep link may name. */
export const errands: Record<string, Errand> = {
  reveal: {
    title: "See the real identity behind a label",
    explain:
      "Real identities are kept encrypted. No agent and no server can show them; you can, in this browser, with the passphrase of your vault.",
    place: (ids) => inCase(ids, "/parties", "show=names"),
  },
  contact: {
    title: "Contact your client",
    explain:
      "The service does not know who your client is, so you contact them yourself. Their names and what you noted of them are in your vault.",
    place: (ids) => inCase(ids, "/parties", "show=names"),
  },
  export_named: {
    title: "Export a document with real names",
    explain: "Labels are replaced by names in this browser alone, and the result is saved on your machine.",
    place: (ids) => inCase(ids, "/files", "do=named"),
  },
  file_with_court: {
    title: "File with the court",
    explain:
      "Filing needs real names and your signature, so you do it, in the court's own system. Export the document with names first.",
    place: (ids) => inCase(ids, "/files", "do=named"),
  },
  serve: {
    title: "Serve a document",
    explain:
      "Service needs real names and addresses, so you do it. Export the document with names first; the addresses are in your vault.",
    place: (ids) => inCase(ids, "/files", "do=named"),
  },
  sign: {
    title: "Sign a document",
    explain: "Only a person signs. Export the document with names, read it, and sign that.",
    place: (ids) => inCase(ids, "/files", "do=named"),
  },
  redact_file: {
    title: "Take identities out of a document",
    explain: "Names, addresses and numbers are replaced by labels in this browser; only the result is sent.",
    place: (ids) => `/app/redact${ids.case && `?case=${ids.case}`}`,
  },
  add_identity: {
    title: "Keep an identity and get a label for it",
    explain: "The identity is encrypted in this browser; the case only ever sees its label.",
    place: (ids) => inCase(ids, "/parties", "do=add"),
  },
  conflict_check: {
    title: "Check for conflicts of interest",
    explain: "Names are compared as tokens that the service cannot read. What you decide goes on record.",
    place: (ids) => inCase(ids, "/parties", "do=conflict"),
  },
  confirm_invite: {
    title: "Send a proposed invitation",
    explain: "An agent proposed to invite a professional. Only you can send the invitation.",
    place: (ids) => `/app/invites${ids.invite && `?invite=${ids.invite}`}`,
  },
  review: {
    title: "Review the agent's work",
    explain: "Anything that states law, strategy, a deadline or a tier waits until a person approves it.",
    place: (ids) => (ids.case ? inCase(ids, "/work", ids.phase && `phase=${ids.phase}`) : "/app/review"),
  },
  case_settings: {
    title: "Change the settings of a case",
    explain: "Supervision, confidentiality, holds, closing and deleting are up to a person.",
    place: (ids) => inCase(ids, "/settings"),
  },
  files: {
    title: "Delete a file of a case",
    explain: "Deleting a file is up to a person.",
    place: (ids) => inCase(ids, "/files", "do=delete"),
  },
  export: {
    title: "Export a case",
    explain: "The export holds labels only.",
    place: (ids) => inCase(ids, "/settings", "do=export"),
  },
  agent: {
    title: "Connect, see or end your agent",
    explain: "You hand your agent a registration token that is valid for ten minutes.",
    place: () => "/app/agent",
  },
  grants: {
    title: "See or end connected applications",
    explain: "Applications that you signed in to, what you allowed them, and the way to end it at once.",
    place: () => "/app/applications",
  },
  members: {
    title: "See members and end their access",
    explain: "Ending somebody's access is up to an owner or an administrator, in person.",
    place: () => "/app/members",
  },
  audit: {
    title: "See what happened",
    explain: "The audit trail lists who did what, without content.",
    place: (ids) => (ids.case ? `/app/audit?case=${ids.case}` : "/app/audit"),
  },
  admin: {
    title: "Administer the organization",
    explain: "This needs the role admin and a signed-in person.",
    place: () => "/app/organization",
  },
  handoff: {
    title: "Talk to a person",
    explain:
      "The agent could not help with this. Ask the person who runs Subrosa in your firm, and give them the number of the ticket or inquiry.",
  },
};

/** Where the app shows a case, or the record of it that an address `/c/…` names. */
export function placeInCase(caseId: string, query: URLSearchParams): string {
  const at = `/app/cases/${form.test(caseId) ? caseId : "nothing"}`;
  const id = (name: string): string => {
    const value = query.get(name) ?? "";
    return form.test(value) ? value : "";
  };
  if (id("file")) return `${at}/files/${id("file")}`;
  if (id("phase")) return `${at}/work?phase=${id("phase")}`;
  if (id("party")) return `${at}/parties`;
  if (id("entry")) return `${at}/timeline`;
  if (id("branch")) return `${at}/branches?branch=${id("branch")}`;
  if (id("invite")) return `/app/invites?case=${caseId}&invite=${id("invite")}`;
  return at;
}
