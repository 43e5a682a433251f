"""Widgets that games bring for their tables, named by `GameInfo.table_widget`."""
