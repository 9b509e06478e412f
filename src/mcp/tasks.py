"""Research as tasks (MCP extension `io.modelcontextprotocol/tasks`), for clients that declare support for them.

A task is a run with the same id; it outlives the server, and any later server can report on it.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding, RequestHandler
from mcp.server.mcpserver import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    Notification,
    RequestParams,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenResult,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field, ValidationError

from ..kernel.errors import SpyglassError
from ..kernel.thread import in_thread
from ..runs.stored import INTERRUPTED, PLANNED, RUNNING, UNREADABLE
from .answers import ResearchStatus
from .tools import LOOK, PlanApproval, Tools

EXTENSION: Final = "io.modelcontextprotocol/tasks"

STARTS: Final = "start_research"  # the tool whose call becomes a task
PLAN: Final = "plan"  # the name of the input request that asks the user to approve the plan
POLL_MS: Final = 2_000
LONGEST_STREAM: Final = 3_600.0
"""Seconds after which a stream ends, because a task that waits for input may never end. Clients may reconnect."""

MOST_TASKS: Final = 100  # tasks in one stream
MOST_STREAMS: Final = 100  # concurrent streams; each polls its runs
ENDED: Final = ("completed", "failed", "cancelled")

STATES: Final = {RUNNING: "working", PLANNED: "input_required", "cancelled": "cancelled"} | dict.fromkeys(
    (INTERRUPTED, UNREADABLE, "failed"), "failed"
)
"""The protocol's task state by outcome of a run; every other outcome is "completed"."""

FAILED: Final = -32_000  # the error code of a run without a report


class TaskParams(RequestParams):
    """The parameters of a request about a task."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """The user's answers, by the name of the input request."""

    input_responses: dict[str, dict[str, Any]] = Field(alias="inputResponses")


class TaskFilter(SubscriptionFilter):
    """The tasks that a client subscribes to. Other notifications are not needed: our lists never change."""

    task_ids: list[str] = Field(default=[], max_length=MOST_TASKS)


class ListenParams(RequestParams):
    """The parameters of `subscriptions/listen`."""

    notifications: TaskFilter


class TaskNotification(Notification[dict[str, Any], Literal["notifications/tasks"]]):
    """The notification of a task's state, in the form of `tasks/get`."""

    method: Literal["notifications/tasks"] = "notifications/tasks"


class ResearchTasks(Extension):
    """Answers a call of `start_research` with a task and serves the requests about tasks; other calls are unchanged."""

    identifier = EXTENSION

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._streams = 0

    def methods(self) -> Sequence[MethodBinding]:
        """Return the methods: get a task with its result, answer its input request, and cancel it."""
        return (
            MethodBinding("tasks/get", TaskParams, _with_protocol_errors(self._get)),
            MethodBinding("tasks/update", UpdateParams, _with_protocol_errors(self._update)),
            MethodBinding("tasks/cancel", TaskParams, _with_protocol_errors(self._cancel)),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Return the task that a call has started if the client supports tasks, else the result of the tool."""
        result = await call_next(ctx)
        content = params.name == STARTS and isinstance(result, CallToolResult) and result.structured_content
        if not content or not _knows_tasks(ctx):
            return result
        return {"resultType": "task", **_task(ResearchStatus.model_validate(content))}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        return await self._full_task(await self._status(ctx, params))

    async def _full_task(self, status: ResearchStatus) -> dict[str, Any]:
        """Return a task with its input request, its result or its error."""
        task = _task(status)
        if task["status"] == "input_required":
            message = await self._tools.plan_shown(status.run)
            form = {"mode": "form", "message": message, "requestedSchema": PlanApproval.model_json_schema()}
            task["inputRequests"] = {PLAN: {"method": "elicitation/create", "params": form}}
        if task["status"] == "completed":
            report = await self._tools.get_report(status.run)
            result = CallToolResult(
                content=[TextContent(text=report.text)], structured_content=status.model_dump(mode="json")
            )
            task["result"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        if task["status"] == "failed":
            task["error"] = {"code": FAILED, "message": task["statusMessage"]}
        return task

    async def listening(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle `subscriptions/listen` with tasks, as middleware: notify of each change until all tasks have ended."""
        notifications = (ctx.params or {}).get("notifications")
        is_subscription = (
            ctx.method == "subscriptions/listen" and isinstance(notifications, dict) and notifications.get("taskIds")
        )
        if not is_subscription or not _knows_tasks(ctx):
            return await call_next(ctx)
        return await _with_protocol_errors(self._listen)(ctx, ctx.params)

    async def _listen(self, ctx: ServerRequestContext[Any, Any], raw: Any) -> HandlerResult:
        params = ListenParams.model_validate(raw)
        if self._streams >= MOST_STREAMS:
            raise MCPError(code=FAILED, message=f"{MOST_STREAMS} streams are open, which is the maximum")
        last_states = dict.fromkeys(params.notifications.task_ids, "")
        statuses = [await in_thread(self._tools.task, task) for task in last_states]
        meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}
        self._streams += 1
        try:
            acknowledged = SubscriptionsAcknowledgedNotificationParams(
                notifications=TaskFilter(task_ids=[*last_states]), _meta=meta
            )
            await ctx.session.send_notification(
                SubscriptionsAcknowledgedNotification(params=acknowledged), ctx.request_id
            )
            deadline = time.monotonic() + LONGEST_STREAM
            while True:
                for status in statuses:
                    task = _task(status)
                    if (state := f"{task['status']}: {task['statusMessage']}") != last_states[status.run]:
                        last_states[status.run] = state
                        notification = TaskNotification(params={**await self._full_task(status), "_meta": meta})
                        await ctx.session.send_notification(notification, ctx.request_id)  # type: ignore[arg-type]  # not core
                    if task["status"] in ENDED:
                        del last_states[status.run]
                if not last_states or time.monotonic() > deadline:
                    return SubscriptionsListenResult(_meta=meta)
                await asyncio.sleep(LOOK)
                statuses = [await in_thread(self._tools.task, task) for task in last_states]
        finally:
            self._streams -= 1

    async def _update(self, ctx: ServerRequestContext[Any, Any], params: UpdateParams) -> HandlerResult:
        status = await self._status(ctx, params)
        answer = params.input_responses.get(PLAN)
        if answer is None:
            raise MCPError(code=INVALID_PARAMS, message=f'The task accepts an answer to "{PLAN}" only')
        if answer.get("action") == "accept":
            approval = PlanApproval.model_validate(answer.get("content") or {})
            await self._tools.approve_plan(status.run, None, approval)
        else:
            await in_thread(self._tools.cancel, status.run)
        return {}

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        await in_thread(self._tools.cancel, (await self._status(ctx, params)).run)
        return {}

    async def _status(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> ResearchStatus:
        """Return the status of a task's run. Raises UnknownRunError, and MCPError for a client without tasks."""
        require_client_extension(ctx, EXTENSION)
        return await in_thread(self._tools.task, params.task_id)


def _with_protocol_errors(handler: RequestHandler) -> RequestHandler:
    """Wrap a handler so that errors caused by the caller become protocol errors."""

    async def handled(ctx: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        try:
            return await handler(ctx, params)
        except (SpyglassError, ValidationError) as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error

    return handled


def _knows_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the client accepts a task as a result, which earlier protocol versions do not have."""
    capabilities = ctx.session.client_capabilities
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    return modern and capabilities is not None and EXTENSION in (capabilities.extensions or {})


def _task(status: ResearchStatus) -> dict[str, Any]:
    """Return the protocol's record of the task of a run."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    done = ", ".join(f"{count} {kind}" for kind, count in status.done.items())
    return {
        "taskId": status.run,
        "status": STATES.get(status.state, "completed"),
        "statusMessage": status.problem or done or status.next,
        "createdAt": status.began or now,
        "lastUpdatedAt": now,
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
