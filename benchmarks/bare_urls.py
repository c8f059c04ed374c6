"""
The barest API of messages: the generic views of Django REST framework with the serializers of the product.

They only check a token. The product's calls also check permissions and scopes, count the caller's requests,
parse parameters and bodies strictly, limit their time, send entity tags, and record actions in the audit log.
"""

from django.db.models import BooleanField, Value
from django.db.models.functions import Left
from django.urls import path
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.messages.api import MessageInListSerializer, MessageSerializer
from messages_app.messages.fields import CONTENT_COLUMNS, NARROW_COLUMNS
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState


class Newest(CursorPagination):
    page_size = 50
    ordering = "-msg_id"


class MessageList(ListAPIView):
    queryset = Message.objects.only(*NARROW_COLUMNS).annotate(
        archived=Value(False, output_field=BooleanField()), failed_summary=Left("failed_desc", 200)
    )
    serializer_class = MessageInListSerializer
    pagination_class = Newest


class MessageDetail(RetrieveAPIView):
    queryset = Message.objects.defer(*CONTENT_COLUMNS)
    serializer_class = MessageSerializer


class Cancel(GenericAPIView):
    queryset = MessageDetail.queryset
    serializer_class = MessageSerializer

    def post(self, request: Request, pk: int) -> Response:
        if not Message.objects.filter(pk=pk, state=MessageState.POSTPONED).update(state=MessageState.CANCEL):
            return Response(status=409)
        return Response(self.get_serializer(self.get_object()).data)


urlpatterns = [
    path("api/v1/messages/", MessageList.as_view()),
    path("api/v1/messages/<int:pk>/", MessageDetail.as_view()),
    path("api/v1/messages/<int:pk>/cancel/", Cancel.as_view()),
]
