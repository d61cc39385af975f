// The addresses of the app. A page's code is loaded when somebody goes there.

/** One address: its parts that vary begin with a colon. */
export interface Route {
  path: string;
  element: string;
  title: string;
  load: () => Promise<unknown>;
}

/** Every address of the app. */
export const routes: Route[] = [
  { path: "/app/review", element: "subrosa-review-queue", title: "Review", load: () => import("./pages/review.js") },
  { path: "/app/cases", element: "subrosa-cases", title: "Cases", load: () => import("./pages/cases.js") },
  {
    path: "/app/cases/:caseId",
    element: "subrosa-case",
    title: "Case",
    load: () => import("./pages/case/overview.js"),
  },
  {
    path: "/app/cases/:caseId/files",
    element: "subrosa-case-files",
    title: "Files",
    load: () => import("./pages/case/files.js"),
  },
  {
    path: "/app/cases/:caseId/files/:fileId",
    element: "subrosa-case-file",
    title: "File",
    load: () => import("./pages/case/file.js"),
  },
  {
    path: "/app/cases/:caseId/timeline",
    element: "subrosa-case-timeline",
    title: "Timeline",
    load: () => import("./pages/case/timeline.js"),
  },
  {
    path: "/app/cases/:caseId/branches",
    element: "subrosa-case-branches",
    title: "Branches",
    load: () => import("./pages/case/branches.js"),
  },
  {
    path: "/app/cases/:caseId/parties",
    element: "subrosa-case-parties",
    title: "Parties",
    load: () => import("./pages/case/parties.js"),
  },
  {
    path: "/app/cases/:caseId/settings",
    element: "subrosa-case-settings",
    title: "Settings",
    load: () => import("./pages/case/settings.js"),
  },
  {
    path: "/app/cases/:caseId/work",
    element: "subrosa-case-work",
    title: "Work",
    load: () => import("./pages/case/work.js"),
  },
  { path: "/app/agent", element: "subrosa-agent", title: "Your agent", load: () => import("./pages/agent.js") },
  { path: "/app/vault", element: "subrosa-vault", title: "Vault", load: () => import("./pages/vault.js") },
  {
    path: "/app/applications",
    element: "subrosa-applications",
    title: "Connected applications",
    load: () => import("./pages/applications.js"),
  },
  { path: "/app/members", element: "subrosa-members", title: "Members", load: () => import("./pages/members.js") },
  { path: "/app/audit", element: "subrosa-audit", title: "What happened", load: () => import("./pages/audit.js") },
  { path: "/app/partners", element: "subrosa-partners", title: "Partners", load: () => import("./pages/partners.js") },
  { path: "/app/invites", element: "subrosa-invites", title: "Invitations", load: () => import("./pages/invites.js") },
  {
    path: "/app/organization",
    element: "subrosa-organization",
    title: "Organization",
    load: () => import("./pages/organization.js"),
  },
  {
    path: "/app/redact",
    element: "subrosa-redact",
    title: "Take identities out",
    load: () => import("./pages/redact.js"),
  },
  { path: "/c/:caseId", element: "subrosa-errand", title: "Case", load: () => import("./pages/errand.js") },
  { path: "/i/:action", element: "subrosa-errand", title: "Next step", load: () => import("./pages/errand.js") },
];

/** Finds the route of a path and the parts of it that vary. */
export function match(path: string): { route: Route; params: Record<string, string> } | undefined {
  const parts = path.replace(/\/$/, "").split("/");
  for (const route of routes) {
    const pattern = route.path.replace(/\/$/, "").split("/");
    if (pattern.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = pattern.every((want, i) => {
      const got = parts[i] ?? "";
      if (!want.startsWith(":")) return want === got;
      try {
        params[want.slice(1)] = decodeURIComponent(got);
      } catch {
        return false;
      }
      return got !== "";
    });
    if (fits) return { route, params };
  }
  return undefined;
}
