"""What a command needs before it begins."""

from ..kernel.settings import Settings


def require_keys(settings: Settings, *, web: bool) -> None:
    """Raise SettingsError where a model, or with `web` a search engine, that the settings name lacks its key."""
    from ..model.providers import require_keys as require_model_keys

    require_model_keys(settings)
    if web and settings.search.engines is not None:
        from ..search.engines import require_named

        require_named(settings)
