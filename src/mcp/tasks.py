"""Research as a task (the protocol's extension `io.modelcontextprotocol/tasks`), for a client that says it knows tasks.

A task is a run: its id is the run's, it outlives the server, and any later server answers for it.
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
PLAN: Final = "plan"  # the name of what a task asks the user: whether its plan is right
POLL_MS: Final = 2_000
LONGEST_STREAM: Final = 3_600.0
"""Seconds for which a client is told of its tasks: one that waits for an answer may never end. It may ask again."""

MOST_TOLD: Final = 100  # tasks that one stream tells of
MOST_STREAMS: Final = 100  # at once; each looks at its runs
ENDED: Final = ("completed", "failed", "cancelled")

STATES: Final = {RUNNING: "working", PLANNED: "input_required", "cancelled": "cancelled"} | dict.fromkeys(
    (INTERRUPTED, UNREADABLE, "failed"), "failed"
)
"""What the protocol calls how a run stands; every other way to stand is "completed"."""

FAILED: Final = -32_000  # the code of the error of a run that has no report


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """What the user answered, by the names of what was asked."""

    input_responses: dict[str, dict[str, Any]] = Field(alias="inputResponses")


class TaskFilter(SubscriptionFilter):
    """What a client wants to be told of: these tasks. No list of ours ever changes."""

    task_ids: list[str] = Field(default=[], max_length=MOST_TOLD)


class ListenParams(RequestParams):
    """What a stream shall tell of."""

    notifications: TaskFilter


class TaskNotification(Notification[dict[str, Any], Literal["notifications/tasks"]]):
    """How a task stands, as `tasks/get` tells it."""

    method: Literal["notifications/tasks"] = "notifications/tasks"


class ResearchTasks(Extension):
    """Answers a call of `start_research` with a task, and serves what is asked of tasks; others go on as before."""

    identifier = EXTENSION

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._streams = 0

    def methods(self) -> Sequence[MethodBinding]:
        """Return what is served: how a task stands, with its result; an answer to what it asks; its end."""
        return (
            MethodBinding("tasks/get", TaskParams, _told(self._get)),
            MethodBinding("tasks/update", UpdateParams, _told(self._update)),
            MethodBinding("tasks/cancel", TaskParams, _told(self._cancel)),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Return the task that a call has begun, where the client knows tasks, and else the tool's own result."""
        result = await call_next(ctx)
        begun = params.name == STARTS and isinstance(result, CallToolResult) and result.structured_content
        if not begun or not _knows_tasks(ctx):
            return result
        return {"resultType": "task", **_task(ResearchStatus.model_validate(begun))}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        return await self._whole(await self._status(ctx, params))

    async def _whole(self, status: ResearchStatus) -> dict[str, Any]:
        """Return a task with what it asks, its result or its error."""
        task = _task(status)
        if task["status"] == "input_required":
            shown = await self._tools.plan_shown(status.run)
            form = {"mode": "form", "message": shown, "requestedSchema": PlanApproval.model_json_schema()}
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
        """Middleware: tell a client that names tasks in `subscriptions/listen` of each change, until all have ended."""
        given = (ctx.params or {}).get("notifications")
        asks = ctx.method == "subscriptions/listen" and isinstance(given, dict) and given.get("taskIds")
        if not asks or not _knows_tasks(ctx):
            return await call_next(ctx)
        return await _told(self._listen)(ctx, ctx.params)

    async def _listen(self, ctx: ServerRequestContext[Any, Any], given: Any) -> HandlerResult:
        params = ListenParams.model_validate(given)
        if self._streams >= MOST_STREAMS:
            raise MCPError(code=FAILED, message=f"{MOST_STREAMS} streams are open, which is all that there are")
        left = dict.fromkeys(params.notifications.task_ids, "")
        found = [await in_thread(self._tools.task, task) for task in left]
        meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}
        self._streams += 1
        try:
            known = SubscriptionsAcknowledgedNotificationParams(notifications=TaskFilter(task_ids=[*left]), _meta=meta)
            await ctx.session.send_notification(SubscriptionsAcknowledgedNotification(params=known), ctx.request_id)
            until = time.monotonic() + LONGEST_STREAM
            while True:
                for status in found:
                    task = _task(status)
                    if (stands := f"{task['status']}: {task['statusMessage']}") != left[status.run]:
                        left[status.run] = stands
                        told = TaskNotification(params={**await self._whole(status), "_meta": meta})
                        await ctx.session.send_notification(told, ctx.request_id)  # type: ignore[arg-type]  # not core
                    if task["status"] in ENDED:
                        del left[status.run]
                if not left or time.monotonic() > until:
                    return SubscriptionsListenResult(_meta=meta)
                await asyncio.sleep(LOOK)
                found = [await in_thread(self._tools.task, task) for task in left]
        finally:
            self._streams -= 1

    async def _update(self, ctx: ServerRequestContext[Any, Any], params: UpdateParams) -> HandlerResult:
        status = await self._status(ctx, params)
        answer = params.input_responses.get(PLAN)
        if answer is None:
            raise MCPError(code=INVALID_PARAMS, message=f'The task asks for "{PLAN}" and nothing else')
        if answer.get("action") == "accept":
            given = PlanApproval.model_validate(answer.get("content") or {})
            await self._tools.approve_plan(status.run, None, given)
        else:
            await in_thread(self._tools.cancel, status.run)
        return {}

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        await in_thread(self._tools.cancel, (await self._status(ctx, params)).run)
        return {}

    async def _status(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> ResearchStatus:
        """Return how the run stands that a task is. Raises UnknownRunError, and MCPError: a client without tasks."""
        require_client_extension(ctx, EXTENSION)
        return await in_thread(self._tools.task, params.task_id)


def _told(handler: RequestHandler) -> RequestHandler:
    """Have what a caller did wrong told as the protocol tells it."""

    async def handled(ctx: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        try:
            return await handler(ctx, params)
        except (SpyglassError, ValidationError) as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error

    return handled


def _knows_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Say whether the client of this request takes a task for an answer, which the earlier protocol cannot carry."""
    capabilities = ctx.session.client_capabilities
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    return modern and capabilities is not None and EXTENSION in (capabilities.extensions or {})


def _task(status: ResearchStatus) -> dict[str, Any]:
    """Return what the protocol tells of the task that a run is."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    done = ", ".join(f"{count} {what}" for what, count in status.done.items())
    return {
        "taskId": status.run,
        "status": STATES.get(status.state, "completed"),
        "statusMessage": status.problem or done or status.next,
        "createdAt": status.began or now,
        "lastUpdatedAt": now,
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
