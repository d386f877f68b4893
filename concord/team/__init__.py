"""Team: members, invitations, sessions and the audit log."""
